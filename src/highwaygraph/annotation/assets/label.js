// The labelling page: keys and buttons become requests, and every response is the state that the page shows.
(() => {
  "use strict";
  const { byId, number, counted } = labelDom;
  const options = JSON.parse(byId("label-options").textContent);
  const nodes = JSON.parse(byId("graph-data").textContent).nodes;
  const token = new URLSearchParams(location.search).get("token");
  const POLL = 1000;
  // The same window after a reload, and another one in another tab.
  const windowId = sessionStorage.getItem("highway-window") ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
  sessionStorage.setItem("highway-window", windowId);

  let state = null;
  let chosen = null;
  let pending = Promise.resolve();
  let answering = null;
  let mapShown = null;
  let nodeShown = null;
  let selecting = false;
  let isServerAlert = false;

  const request = async (path, body) => {
    const headers = { Authorization: `Bearer ${token}` };
    const sent = JSON.stringify({ answers: options.answers, ...body });
    const response = await fetch(path, body ? { method: "POST", headers, body: sent } : { headers });
    const found = await response.json();
    if (!response.ok) throw Object.assign(new Error(found.error), { status: response.status });
    return found;
  };

  const alertText = (text) => {
    // A text that is set again is read out again.
    if (byId("alert").textContent !== text) byId("alert").textContent = text;
    byId("alert").hidden = !text;
    isServerAlert = false;
  };
  const fail = (error) => {
    alertText(isLost(error) ? lostText(error) : error.message);
    isServerAlert = isLost(error);
  };

  // The server is gone, or was started again with another token, or for another graph or label file.
  const isLost = (error) => [undefined, 401, 410].includes(error.status);
  const lostText = (error) => {
    const unsent = unsentAnswers.of(windowId);
    const kept = (when) => (unsent ? `The answer to node ${unsent.id} is kept and saved ${when}.` : "Saved answers are kept.");
    if (error.status === 410) return error.message;
    if (!error.status) return `The server does not answer: start highway label again. ${kept("then")}`;
    return `highway label was started again with another token: open the address that it printed last. ${kept("there")}`;
  };

  const show = (found) => {
    // A server that was started again counts from the beginning.
    const isNew = state && found.session !== state.session;
    if (isNew && (found.graph !== options.graph || found.answers !== options.answers)) { location.reload(); return; }
    if (isNew) mapShown = null;
    // A slow response may arrive after a newer one.
    else if (state && found.version < state.version) return;
    state = found;
    labelNode.show(state, { label, choose });
    labelCurve.show(state.curve);
    showCounts();
    showTraining();
    void showMap();
  };

  const showCounts = () => {
    const parts = [counted(state.labels, "label", "labels"), counted(state.classes.filter((one) => one.count).length, "class", "classes")];
    if (state.not_sure) parts.push(`${number(state.not_sure)} not sure`);
    if (state.skipped) parts.push(`${number(state.skipped)} skipped`);
    byId("counts").textContent = `${parts.join(", ")}; ${counted(state.left, "node", "nodes")} without an answer.`;
    for (const button of document.querySelectorAll("[data-command]")) {
      const needsNode = !["undo", "retrain"].includes(button.dataset.command);
      button.disabled = (needsNode && !state.current) || (button.dataset.command === "undo" && !state.can_undo);
    }
  };

  const showTraining = () => {
    const { phase, detail, progress, labels, error } = state.training;
    const texts = {
      starting: "Starting …", suggesting: "Choosing the next nodes …",
      training: `Training on ${counted(labels, "label", "labels")}${detail ? `: ${detail}` : ""} …`,
      idle: labels ? `Trained on ${counted(labels, "label", "labels")}.` : "The first training starts with two labels in each of two classes.",
    };
    const text = error || texts[phase];
    if (byId("training-text").textContent !== text) byId("training-text").textContent = text;
    byId("training-progress").hidden = phase !== "training";
    byId("training-progress").value = progress;
  };

  const showMap = async () => {
    const viewer = window.highwayViewer;
    if (!viewer?.ready) return;
    try {
      if (mapShown !== state.map) {
        mapShown = state.map;
        viewer.update(await request("/api/map"));
      }
      const place = state.current ? nodes.indexOf(state.current.node) : -1;
      // Only a new node moves the camera, so that its user may look around.
      if (place === nodeShown) return;
      nodeShown = place;
      selecting = true;
      if (place < 0) viewer.clear();
      else viewer.focus(place);
    } catch (error) { mapShown = null; fail(error); } finally { selecting = false; }
  };

  // One request after the other, so that responses arrive in order.
  const enqueue = (work) => {
    pending = pending.then(work).catch(async (error) => {
      fail(error);
      if ([409, 410].includes(error.status)) await refresh().catch(fail);
    });
    return pending;
  };
  const refresh = async () => {
    const node = chosen === null ? "" : `&node=${chosen}`;
    show(await request(`/api/state?window=${windowId}${node}`));
  };

  // A key is about the node that is shown when it is pressed; a second one waits until the next node is shown.
  const answer = async (kind, name = "") => {
    const node = state?.current;
    if (!node || answering === node.node) return;
    answering = node.node;
    await enqueue(() => send(node, kind, name));
    answering = null;
  };
  const send = async (node, kind, name) => {
    const given = { window: windowId, node: node.node, id: node.id, answer: kind, class: name, seen: node.answer };
    try { await deliver(given); } catch (error) {
      if (isLost(error)) unsentAnswers.keep(given);
      throw error;
    }
    alertText("");
  };
  // An unsent answer of another window, which may be closed, is saved and can be undone by this one.
  const deliver = async (given) => {
    const found = await request("/api/answer", { ...given, window: windowId }).catch((error) => {
      if (!isLost(error)) unsentAnswers.drop(given);
      // Its user looks at the other answer to this node.
      if (error.status === 409) chosen = given.node;
      throw error;
    });
    unsentAnswers.drop(given);
    byId("saved").textContent = `Saved in ${options.labels_file}: ${given.id} is ${given.class || given.answer}.`;
    if (given.window !== windowId) return;
    chosen = null;
    show(found);
  };
  const label = (name) => answer("label", name);
  const choose = (node) => enqueue(async () => { chosen = node; await refresh(); });
  const undo = () => enqueue(async () => {
    const unsent = unsentAnswers.of(windowId);
    if (unsent) {
      unsentAnswers.drop(unsent);
      byId("saved").textContent = `Undone: the answer to node ${unsent.id} is not saved.`;
      return;
    }
    const found = await request("/api/undo", { window: windowId });
    chosen = found.current.node;
    alertText("");
    show(found);
    byId("saved").textContent = `Undone: ${found.current.id} has ${found.current.answer ? "its earlier answer" : "no answer"}.`;
  });

  const form = byId("class-form");
  const openForm = () => { form.hidden = false; byId("class-name").value = ""; byId("class-name").focus(); };
  const closeForm = () => { form.hidden = true; byId("node-title").scrollIntoView({ block: "nearest" }); document.activeElement?.blur(); };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = byId("class-name").value.trim();
    if (!name) return;
    closeForm();
    void label(name);
  });
  byId("class-cancel").addEventListener("click", closeForm);

  const commands = {
    "not sure": () => answer("not sure"), skip: () => answer("skipped"), undo, "another class": openForm,
    retrain: () => enqueue(async () => show(await request("/api/retrain", { window: windowId }))),
  };
  for (const button of document.querySelectorAll("[data-command]")) button.addEventListener("click", () => void commands[button.dataset.command]());

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (!form.hidden) { event.preventDefault(); closeForm(); } else if (chosen !== null) void choose(null);
      return;
    }
    const typing = event.target instanceof HTMLElement && event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !state) return;
    const command = Object.keys(commands).find((name) => options.commands[name] === event.key.toLowerCase());
    const found = state.classes.find((one) => one.key === event.key.toLowerCase());
    if (!command && !found) return;
    event.preventDefault();
    if (command) void commands[command]();
    else void label(found.name);
  });

  byId("graph-viewer").addEventListener("highway-select", (event) => {
    if (selecting || event.detail === null) return;
    void choose(nodes[event.detail]);
  });

  const poll = () => enqueue(async () => {
    await unsentAnswers.sendAll(deliver);
    await refresh();
    if (isServerAlert) alertText("");
  }).then(() => setTimeout(poll, document.hidden ? 4 * POLL : POLL));
  void poll();
})();
