// Keeps an open page true: asks often after a tap, seldom otherwise, never while nobody looks.
(() => {
  "use strict";
  const attsync = (window.attsync ||= {});
  const words = document.body.dataset;
  const AFTER_A_TAP = 3000, TAP_LASTS = 30000, WHILE_WAITING = 20000, TODAY = 120000, TICK = 10000, TOAST = 15000;
  const HOUR = 3600, FACTORY_ZONE = 7 * HOUR;
  const fresh = () => document.getElementById("fresh");
  const sum = () => document.getElementById("sum");
  if (!("ago" in words)) return;

  let etag = words.etag || "";
  let tappedAt = -Infinity;
  let running = false;
  let timer = 0;
  let paused = sessionStorage.getItem("attsync-paused") === "yes";
  let said = sum()?.dataset.say;
  // The cloud's clock, carried on by one that nobody sets.
  let cloud = { at: Number(fresh().dataset.now), since: performance.now() };
  const now = () => cloud.at + (performance.now() - cloud.since) / 1000;

  const pause = () => {
    if (performance.now() - tappedAt < TAP_LASTS && fresh().dataset.line === "ok") return AFTER_A_TAP;
    if (Number(sum()?.dataset.waiting) > 0) return WHILE_WAITING;
    return "today" in words ? TODAY : 0;
  };

  const plan = () => {
    clearTimeout(timer);
    const delay = pause();
    if (delay && !paused && !document.hidden) timer = setTimeout(look, delay);
  };

  const age = (seconds) => {
    const [justNow, minutes, hours, days] = words.ago.split("|");
    const count = (unit, form) => form.replace("{n}", Math.floor(seconds / unit));
    if (seconds < 60) return justNow;
    if (seconds < HOUR) return count(60, minutes);
    return seconds < 48 * HOUR ? count(HOUR, hours) : count(24 * HOUR, days);
  };

  const tick = () => {
    const { heard } = fresh().dataset;
    const time = fresh().querySelector("[data-heard-time]");
    if (time && Number(heard)) time.textContent = age(Math.max(0, now() - Number(heard)));
  };

  // Unchanged, but the agent was heard and the data confirmed meanwhile.
  const turn = (moments) => {
    const [heard, data] = moments.split(" ").map(Number);
    const line = fresh();
    const time = line.querySelector("[data-data-time]");
    const local = (epoch) => new Date((epoch + FACTORY_ZONE) * 1000).toISOString();
    if (time && data > Number(line.dataset.data) && local(data).slice(0, 10) === local(now()).slice(0, 10)) {
      time.textContent = words.clock.replace("{t}", local(data).slice(11, 16));
      line.dataset.data = data;
    }
    line.dataset.heard = heard;
    tick();
  };

  const lost = (on) => {
    const line = fresh();
    line.querySelector("[data-lost]").hidden = !on;
    line.querySelector("[data-state]").hidden = on;
  };

  const look = async () => {
    if (running || document.hidden) return;
    running = true;
    try {
      const here = attsync.here();
      const done = document.querySelector(".toast button")?.value;
      if (done) here.set("done", done);
      const answer = await attsync.ask(`${location.pathname}?${here}`, { headers: { "If-None-Match": etag } });
      if (!answer) return;
      if (answer.status === 304) turn(answer.fresh);
      else if (answer.status === 200 && answer.doc.getElementById("fresh")) take(answer);
      lost(false);
    } catch {
      lost(true);
    } finally {
      running = false;
      plan();
    }
  };

  const take = (answer) => {
    etag = answer.etag;
    attsync.swap(answer.doc);
    if (!attsync.dated && fresh().dataset.today !== words.day) return location.replace(location.pathname);
    cloud = { at: Number(fresh().dataset.now), since: performance.now() };
    attsync.say(answer.doc, false);
  };

  const retold = (shown, now) => {
    if (!shown || !now || shown.innerHTML === now.innerHTML) return false;
    shown.replaceWith(document.adoptNode(now));
    return true;
  };

  // One sentence for what changed; after a tap the message with its way back, kept true while it stands.
  attsync.say = (doc, toasted) => {
    const region = document.getElementById("said");
    const toast = doc.querySelector(".toast");
    const news = sum()?.dataset.say;
    if (toasted && toast) {
      toast.classList.add("live");
      region.replaceChildren(document.adoptNode(toast));
      attsync.hideToast();
    } else if (!retold(document.querySelector(".toast p"), toast?.querySelector("p")) && news && news !== said) {
      const sentence = region.querySelector(".vh") || document.createElement("p");
      sentence.className = "vh";
      sentence.textContent = news;
      region.append(sentence);
    }
    said = news;
  };

  let toastTimer = 0;
  attsync.hideToast = () => {
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => {
      const toast = document.querySelector(".toast");
      if (toast?.matches(":hover, :focus-within")) attsync.hideToast();
      else toast?.remove();
    }, TOAST);
  };

  attsync.tapped = () => {
    tappedAt = performance.now();
    etag = "";
    cloud = { at: Number(fresh().dataset.now), since: performance.now() };
    plan();
  };

  const button = document.getElementById("pause");
  const show = () => {
    if (!button) return;
    button.hidden = false;
    button.setAttribute("aria-pressed", String(paused));
  };
  button?.addEventListener("click", () => {
    paused = !paused;
    sessionStorage.setItem("attsync-paused", paused ? "yes" : "no");
    show();
    if (paused) plan();
    else look();
  });

  document.addEventListener("visibilitychange", () => (document.hidden || paused ? plan() : look()));
  addEventListener("pageshow", (event) => event.persisted && look());
  if (new URLSearchParams(location.search).has("done")) {
    tappedAt = performance.now();
    attsync.remember(attsync.here());
    attsync.hideToast();
  }
  setInterval(tick, TICK);
  show();
  plan();
})();
