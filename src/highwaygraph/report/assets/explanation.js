// "Why this class?": the records of `highway explain --json` as elements, or the command where a node has no record.
// Data enters the page through textContent only.
(() => {
  "use strict";
  const { make } = window.highwayPage;
  const [MOST_ROWS, LONGEST_WORD] = [5, 16];
  const { command, note, training_note: trainingNote, records } = JSON.parse(document.getElementById("explanation-data").textContent);
  const byId = new Map(records.map((record) => [String(record.id), record]));

  const fill = (element, ...children) => { element.append(...children); return element; };
  // A class that is a number reads as "class 0".
  const className = (name) => (/^-?\d+(\.\d+)?$/.test(name) ? `class ${name}` : name.replaceAll("_", " "));
  const signed = (value, digits = 2) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
  const percent = (share) => `${Math.round(100 * share)} %`;
  const hops = (count) => `${count} ${count === 1 ? "hop" : "hops"}`;
  const hint = (text) => make("p", text, { className: "why-hint" });

  const nodeLink = (id) => {
    const button = make("button", id, { type: "button", className: "link" });
    button.addEventListener("click", () => window.highwayViewer?.show(id));
    return button;
  };

  // A bar beside the number: its length is the part of the largest effect in the list, its side the sign.
  const effectCell = (effect, largest, digits, words = "") => {
    const bar = make("i", "", { className: effect < 0 ? "against" : "for" });
    bar.style.width = `${largest ? Math.round((100 * Math.abs(effect)) / largest) : 0}%`;
    const cell = fill(make("td"), make("span", signed(effect, digits)), fill(make("span", "", { className: "why-bar" }), bar));
    if (words) cell.append(make("small", words));
    return cell;
  };

  // Only a word that is too long for any column is broken.
  const textCell = (content) => {
    const cell = fill(make("td"), content);
    if (cell.textContent.split(/\s/).some((word) => word.length > LONGEST_WORD)) cell.className = "long";
    return cell;
  };

  // Rows of [first cell, description, effect, words below the effect].
  const effects = (title, explained, heads, rows, digits = 2) => {
    if (!rows.length) return null;
    const shown = rows.slice(0, MOST_ROWS);
    const largest = Math.max(...shown.map((row) => Math.abs(row[2])));
    const head = fill(make("tr"), ...heads.map((name) => make("th", name, { scope: "col" })));
    const body = shown.map(([first, text, effect, words]) =>
      fill(make("tr"), textCell(first), textCell(text), effectCell(effect, largest, digits, words)));
    const table = fill(make("table"), fill(make("thead"), head), fill(make("tbody"), ...body));
    return fill(make("div", "", { className: "why-part" }), make("h5", title), hint(explained), table);
  };

  const labels = (record) => effects(
    "Labelled nodes",
    "Estimated drop of the margin if the network were trained without the label, and its share of all labels’ effects. Labels without hops are beyond the receptive field.",
    ["Node", "Label", "Effect"],
    record.labels.map((one) => [
      nodeLink(one.id),
      className(one.label) + (one.hops === null ? "" : `, ${hops(one.hops)}`),
      one.effect,
      percent(one.share),
    ]),
  );

  const features = (record) => effects(
    "Features",
    `Drop of the margin without the feature, ${record.exact ? "exact" : "approximate"}.`,
    ["Feature", "Where", "Effect"],
    record.features.map((one) => [one.name, one.own ? "this node" : "neighbours", one.effect, one.decides ? "decides" : ""]),
  );

  const messages = (record) => effects(
    "Messages",
    `Drop of the margin without the node, ${record.exact ? "exact" : "approximate"}; ${record.field_nodes.toLocaleString("en")} nodes are in the receptive field.`,
    ["Node", "Class", "Effect"],
    record.messages.map((one) => [
      nodeLink(one.id),
      `${one.label === null ? `predicted ${className(one.predicted)}` : `labelled ${className(one.label)}`}, ${hops(one.hops)}`,
      one.effect,
      one.decides ? "decides" : "",
    ]),
  );

  const votes = (record) => effects(
    "Votes of nodes with similar features",
    "Part in the voted difference between both classes.",
    ["Node", "Votes for", "Effect"],
    record.voters.map((one) => [nodeLink(one.id), className(one.predicted) + (one.label === null ? "" : " (label)"), one.effect, ""]),
    3,
  );

  const highwayReason = (one) => {
    const end = one.label === null ? `predicted ${className(one.predicted)}` : `labelled ${className(one.label)}`;
    const changed = one.same_prediction ? "" : " (another class now)";
    const scores = `pair score ${percent(one.pair_score)}, confidence ${percent(one.confidence)} in round ${one.round}`;
    const shared = one.shared.length ? `shares ${one.shared.join(", ")}` : "shares no feature";
    return `${end}${changed}; ${scores}; similarity ${one.similarity.toFixed(2)}, ${shared}`;
  };
  const highways = (record) => {
    if (!record.num_highways) return null;
    const use = record.highways_at_prediction ? "that messages pass along" : "in its training targets only";
    const title = `Highways ${use} (${record.num_highways.toLocaleString("en")})`;
    const items = record.highways.slice(0, MOST_ROWS).map((one) => fill(make("li"), nodeLink(one.id), ` ${highwayReason(one)}`));
    const explained = "The reason for each: the round whose predictions proposed it. The highest pair scores come first.";
    return fill(make("div", "", { className: "why-part" }), make("h5", title), hint(explained), fill(make("ul"), ...items));
  };

  const nearestText = (one, predicted) => {
    if (one.hops === null) return "no path leads to a label";
    if (one.hops === 0) return `the node itself has a label (${className(one.label)})`;
    const own = one.same_class_hops === null ? "no path" : hops(one.same_class_hops);
    return `${hops(one.hops)} to a label of any class (${className(one.label)}), ${own} to a label of ${className(predicted)}`;
  };
  const nearest = (record) => {
    const lines = [`On the original graph: ${nearestText(record.nearest_before, record.predicted)}.`];
    // A label of its own is the nearest one, with and without highways.
    if (record.num_highways && record.nearest_before.hops !== 0) {
      lines.push(`With highways: ${nearestText(record.nearest_after, record.predicted)}.`);
      lines.push(record.highways_at_prediction
        ? "The network predicts on the graph with highways."
        : "The network predicts on the original graph: highways shaped its training, and no message uses them.");
    }
    return fill(make("div", "", { className: "why-part" }), make("h5", "Nearest label"), ...lines.map((text) => make("p", text)));
  };

  const summary = (record) => {
    const parts = record.parts.map((part) => `${part.name} ${signed(part.margin)}`).join(", ");
    const sum = record.parts.length > 1 ? ` It is the sum of ${parts}.` : ` All of it is from ${record.answer}.`;
    return `The logit of ${className(record.predicted)} is ${record.margin.toFixed(2)} above that of ${className(record.runner_up)}, the next class: this is the margin.${sum}`;
  };
  // Effects of the network are in units of the answer's margin.
  const networkNote = (record) =>
    record.parts.length > 1 && record.network_margin !== null
      ? [hint("Effects of labels, messages and features are those on the network’s part.")]
      : [];

  const explain = (record) => {
    const parts = [labels, features, highways, nearest, messages, votes].map((part) => part(record)).filter(Boolean);
    const held = record.split === "train" && trainingNote ? [trainingNote] : [];
    const notes = [...held, ...record.notes].map((text) => hint(`Note: ${text}`));
    return [make("p", summary(record)), ...networkNote(record), fill(make("div", "", { className: "why-parts" }), ...parts), ...notes];
  };

  // As a shell reads it; a word that begins with a dash would be an option.
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
  const commandFor = (id) => `${command} ${String(id).startsWith("-") ? "-- " : ""}${quoted(String(id))}`;
  const commandBox = (id, text) => {
    const code = make("code", commandFor(id), { tabIndex: 0 });
    const button = make("button", "Copy", { type: "button", className: "copy" });
    button.dataset.copy = "";
    return [hint(text), fill(make("div", "", { className: "why-command" }), code, button)];
  };

  window.highwayExplanation = (id) => {
    const record = byId.get(String(id));
    const title = record ? `Why ${className(record.predicted)}?` : "Why this class?";
    const content = record ? explain(record) : [];
    if (command === null) content.push(hint(note));
    else content.push(...commandBox(id, record ? "In a terminal, or as JSON with --json:" : "This command explains the prediction:"));
    return fill(make("details", "", { className: "why" }), make("summary", title), ...content);
  };
})();
