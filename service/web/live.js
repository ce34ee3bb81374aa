// live.js - follows a submission until it is judged. Without it, the page says how to look again.
"use strict";
(() => {
  const status = document.querySelector("[data-events]");
  if (!status || !window.EventSource) return;
  const ended = ["judged", "held", "withdrawn"];
  const text = status.querySelector(".status-text");
  const bar = status.querySelector("progress");
  const reload = status.querySelector(".again");
  if (reload) reload.hidden = true;

  function sentence(submission) {
    if (submission.state === "waiting") {
      if (!submission.ahead) return "It is next.";
      const ahead = submission.ahead === 1 ? "1 submission is ahead" : `${submission.ahead} submissions are ahead`;
      return submission.expected_s ? `${ahead}, about ${Math.ceil(submission.expected_s)} s.` : `${ahead}.`;
    }
    const progress = submission.progress;
    if (!progress) return "It is being judged.";
    return progress.total ? `${progress.step}: ${progress.done} of ${progress.total}` : progress.step;
  }

  function show(submission) {
    if (ended.includes(submission.state)) {
      events.close();
      location.reload();
      return;
    }
    status.querySelector(".state").textContent = submission.state === "waiting" ? "Waiting" : "Being judged";
    const words = sentence(submission);
    if (text.textContent !== words) text.textContent = words;
    const progress = submission.progress;
    if (progress && progress.total) {
      bar.max = progress.total;
      bar.value = progress.done;
    } else {
      bar.removeAttribute("value");
    }
  }

  // Where the server has no stream left, the page asks now and then, not all pages at once.
  function ask() {
    const later = () => setTimeout(ask, 10000 + 5000 * Math.random());
    fetch(status.dataset.events.replace(/\/events$/, ""))
      .then((reply) => reply.json())
      .then((submission) => {
        if (submission.state) show(submission);
        later();
      }, later);
  }

  const events = new EventSource(status.dataset.events);
  events.addEventListener("state", (event) => show(JSON.parse(event.data)));
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) ask();
  });
})();
