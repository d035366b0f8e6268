// Makes the tapes of a page live, as soon as one is seen: see tape/panel.js. Without this script they are pictures.
(function () {
  const folder = new URL("tape/", document.currentScript.src);

  async function enliven(frame) {
    if (frame.dataset.live !== undefined || !frame.checkVisibility()) return;
    frame.dataset.live = "";
    (await import(new URL("panel.js", folder))).open(frame, JSON.parse(frame.dataset.tape));
  }

  function begin() {
    document.querySelectorAll(".ob-tape[data-tape]").forEach((frame) => {
      enliven(frame);
      frame.closest("details")?.addEventListener("toggle", () => enliven(frame));
    });
  }

  if (typeof document$ !== "undefined") document$.subscribe(begin);
  else document.addEventListener("DOMContentLoaded", begin);
})();
