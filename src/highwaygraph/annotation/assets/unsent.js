// Answers that the server did not get: kept in the browser until they are saved, also by another window.
const unsentAnswers = (() => {
  "use strict";
  // Answers to another graph or label file have other keys.
  const PREFIX = `highway-unsent-${JSON.parse(document.getElementById("label-options").textContent).answers}-`;
  const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  const key = (answer) => PREFIX + answer.window;

  const keep = (answer) => localStorage.setItem(key(answer), JSON.stringify(answer));
  const drop = (answer) => localStorage.removeItem(key(answer));
  const find = () => keys().map((one) => JSON.parse(localStorage.getItem(one))).filter((answer) => answer !== null);
  const of = (windowId) => find().find((answer) => answer.window === windowId) ?? null;

  // One window at a time, so that no answer is sent again after it was undone.
  const exclusive = (work) => (navigator.locks ? navigator.locks.request(PREFIX, work) : work());
  const sendAll = (send) => (keys().length ? exclusive(async () => {
    for (const answer of find()) await send(answer);
  }) : Promise.resolve());
  return { keep, drop, of, sendAll };
})();
