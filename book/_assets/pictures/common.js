// What the interactive pictures share: elements, numbers, controls, the state in the
// address, motion. Classic scripts, not modules of the browser: those are refused on
// file:// addresses.
(() => {
  "use strict";
  const T = {};
  window.treebounds = T;

  // ---- elements ---------------------------------------------------------------------

  function make(namespace, tag, attributes = {}, ...children) {
    const element = namespace
      ? document.createElementNS(namespace, tag)
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false)
        element.setAttribute(name, value);
    }
    element.append(
      ...children.flat().filter((child) => child !== null && child !== undefined),
    );
    return element;
  }
  T.html = (tag, attributes, ...children) => make(null, tag, attributes, ...children);
  T.svg = (tag, attributes, ...children) =>
    make("http://www.w3.org/2000/svg", tag, attributes, ...children);
  T.text = (x, y, content, attributes = {}) =>
    T.svg("text", { x, y, ...attributes }, content);
  T.line = (x1, y1, x2, y2, attributes = {}) =>
    T.svg("line", { x1, y1, x2, y2, ...attributes });
  T.path = (points, attributes = {}) =>
    T.svg("path", {
      d: points
        .map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`)
        .join(""),
      ...attributes,
    });

  T.canvas = (width, height, label, ...children) =>
    T.svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "group",
        "aria-label": label,
      },
      ...children,
    );

  // With aria-disabled a button keeps the focus, and does nothing.
  T.button = (label, act, attributes = {}) => {
    const onclick = ({ currentTarget }) => {
      if (currentTarget.getAttribute("aria-disabled") !== "true") act();
    };
    return T.html("button", { type: "button", onclick, ...attributes }, label);
  };

  // A button in an svg: by mouse, touch, Enter and Space.
  T.pressable = (attributes, act, ...children) =>
    T.svg(
      "g",
      {
        role: "button",
        tabindex: 0,
        ...attributes,
        onclick: act,
        onkeydown: (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          act(event);
        },
      },
      ...children,
    );

  // Replace the children, and keep the focus on the element of the same data-key.
  T.refill = (parent, ...children) => {
    const key = parent.contains(document.activeElement)
      ? document.activeElement.dataset?.key
      : undefined;
    parent.replaceChildren(...children.flat());
    if (key !== undefined) parent.querySelector(`[data-key="${key}"]`)?.focus();
  };

  // ---- numbers ----------------------------------------------------------------------

  T.fixed = (value, digits = 3) => {
    if (!Number.isFinite(value)) return "–";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text;
  };
  T.whole = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  T.percent = (value, digits = 1) => `${T.fixed(100 * value, digits)}\u202f%`;
  T.clamp = (value, low, high) => Math.min(high, Math.max(low, value));

  T.logSum = (terms) => {
    let top = -Infinity,
      sum = 0;
    // Math.max(...terms) overflows the stack.
    for (const term of terms) if (term > top) top = term;
    if (top === -Infinity) return top;
    for (const term of terms) sum += Math.exp(term - top);
    return top + Math.log(sum);
  };

  // In products of factors, whose logarithms are added up: differences of large
  // logarithms stay exact.
  T.logBinomial = (n, k) => {
    if (k < 0 || k > n) return -Infinity;
    let sum = 0,
      product = 1;
    for (let i = 0; i < Math.min(k, n - k); i++) {
      product *= (n - i) / (i + 1);
      if (product > 1e280) {
        sum += Math.log(product);
        product = 1;
      }
    }
    return sum + Math.log(product);
  };

  // ln P[Bin(n, p) <= k], and the tail divided by its last term.
  T.logTail = (k, n, p, logChoose = T.logBinomial(n, k)) => {
    let total = 1,
      term = 1;
    for (let j = k; j > 0; j--) {
      term *= (j * (1 - p)) / ((n - j + 1) * p);
      total += term;
      if (term < 1e-18 * total) break;
    }
    return [
      logChoose + k * Math.log(p) + (n - k) * Math.log1p(-p) + Math.log(total),
      total,
    ];
  };
  // The largest risk under which so few errors still have the probability
  // exp(logGamma): Newton from the right.
  T.inversion = (k, n, logGamma) => {
    if (k === n) return 1;
    if (logGamma === 0) return 0;
    const logChoose = T.logBinomial(n, k);
    let p = Math.min(
      k / n + Math.sqrt(-logGamma / (2 * n)),
      -Math.expm1((logGamma - logChoose) / (n - k)),
    );
    if (k === 0) return p;
    for (let i = 0; i < 100 && p < 1; i++) {
      const [log, total] = T.logTail(k, n, p, logChoose),
        step = ((log - logGamma) * (1 - p) * total) / (n - k);
      if (step >= 0 || p + step === p) break;
      p += step;
    }
    return Math.min(p, 1);
  };

  // A generator of pseudorandom numbers in [0, 1): the same from run to run.
  T.random = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  T.motion = () => !window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  // ---- controls ---------------------------------------------------------------------

  // An input that the reader can mend, and the field where.
  T.wrong = (field, message) => Object.assign(new Error(message), { field });

  const STEPS = 1000; // of a slider
  const round = (value, field) => {
    if (!field.log)
      return field.whole ? Math.round(value) : Number(value.toPrecision(6));
    const digits = value >= 100 ? 2 : 3;
    const rounded = Number(value.toPrecision(digits));
    return field.whole ? Math.round(rounded) : rounded;
  };

  // Sliders with number fields: {name, label, min, max, value, whole, log, fine}. min
  // and max may be functions. The slider's steps are even in value or in its logarithm;
  // the field takes every number in the range.
  T.controls = (fields, onchange) => {
    const message = T.html("p", { class: "message", role: "alert" });
    const parts = new Map();
    const raw = (name) => Number(parts.get(name)?.number.value);
    const end = (limit) => (typeof limit === "function" ? limit(raw) : limit);
    // The logarithm of 0 is none.
    const shift = (field) => (field.min > 0 || typeof field.min === "function" ? 0 : 1);
    const toSlider = (field, number) => {
      const low = end(field.min),
        high = end(field.max),
        s = shift(field);
      if (!(high > low)) return 0;
      // A number that is typed may be out of range, and then have no logarithm.
      const value = T.clamp(number, low, high);
      const share = field.log
        ? Math.log((value + s) / (low + s)) / Math.log((high + s) / (low + s))
        : (value - low) / (high - low);
      return Math.round(STEPS * share);
    };
    const fromSlider = (field, step) => {
      const low = end(field.min),
        high = end(field.max),
        s = shift(field),
        share = step / STEPS;
      const value = field.log
        ? (low + s) * ((high + s) / (low + s)) ** share - s
        : low + share * (high - low);
      return T.clamp(round(value, field), low, high);
    };
    const follow = (field) => {
      const { number, slider } = parts.get(field.name);
      slider.value = toSlider(field, Number(number.value));
      slider.setAttribute("aria-valuetext", number.value);
    };
    const changed = (name) => {
      fields.forEach(follow);
      onchange(name);
    };
    const rows = fields.map((field) => {
      const number = T.html("input", {
        type: "number",
        name: field.name,
        step: field.whole ? 1 : "any",
        value: field.value,
        autocomplete: "off",
        oninput: () => changed(field.name),
      });
      const slider = T.html("input", {
        type: "range",
        min: 0,
        max: STEPS,
        "aria-label": field.label,
        "data-slider": field.name,
        oninput: () => {
          number.value = fromSlider(field, Number(slider.value));
          changed(field.name);
        },
        onkeydown: (event) => {
          // one step of a log slider may be less than one: the next number then
          const sign = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[
            event.key
          ];
          if (!sign) return;
          event.preventDefault();
          const now = Number(number.value),
            next = fromSlider(field, Number(slider.value) + 10 * sign);
          const least = field.whole ? 1 : (end(field.max) - end(field.min)) / STEPS;
          const moved = sign * (next - now) > 0 ? next : now + sign * least;
          number.value = T.clamp(
            field.whole ? moved : round(moved, field),
            end(field.min),
            end(field.max),
          );
          changed(field.name);
        },
      });
      parts.set(field.name, { number, slider });
      return T.html(
        "div",
        { class: "control" },
        T.html("label", {}, T.html("span", {}, field.label), number),
        slider,
      );
    });
    fields.forEach(follow);
    const check = (field) => {
      const { number } = parts.get(field.name),
        value = Number(number.value),
        low = end(field.min),
        high = end(field.max);
      // an empty field, or one that holds no number, is "" here and would count as 0
      if (
        number.value === "" ||
        !Number.isFinite(value) ||
        (field.whole && !Number.isInteger(value)) ||
        value < low ||
        value > high
      ) {
        throw T.wrong(
          field.name,
          `${field.label} must be a ${field.whole ? "whole " : ""}number from ${low} to ${high}`,
        );
      }
      return value;
    };
    return {
      element: T.html("div", { class: "controls" }, rows),
      message,
      read: () => Object.fromEntries(fields.map((field) => [field.name, check(field)])),
      raw: () =>
        Object.fromEntries(
          [...parts].map(([name, { number }]) => [name, number.value]),
        ),
      set: (values) => {
        for (const [name, value] of Object.entries(values))
          if (parts.has(name)) parts.get(name).number.value = value;
        fields.forEach(follow);
      },
      mark: (problem) => {
        for (const [name, { number }] of parts)
          number.setAttribute("aria-invalid", String(problem?.field === name));
      },
    };
  };

  // Run `show`; a problem that the reader can mend stands in place of results, any
  // other is an error of the page.
  T.guarded = ({ message, mark }, live, show) => {
    let problem = null;
    try {
      show();
    } catch (error) {
      if (!error.field) throw error;
      problem = error;
    }
    live.classList.toggle("invalid", problem !== null);
    message.textContent = problem ? `${problem.message}.` : "";
    mark?.(problem);
    return problem === null;
  };

  // Buttons of which one is pressed.
  T.choice = (label, options, value, onchange) => {
    const buttons = Object.entries(options).map(([key, text]) =>
      T.button(
        text,
        () => {
          set(key);
          onchange(key);
        },
        { "data-value": key },
      ),
    );
    const set = (key) =>
      buttons.forEach((button) =>
        button.setAttribute(
          "aria-pressed",
          String(button.dataset.value === String(key)),
        ),
      );
    set(value);
    return {
      element: T.html(
        "div",
        { class: "choice", role: "group", "aria-label": label },
        buttons,
      ),
      set,
    };
  };

  // ---- drawings ---------------------------------------------------------------------

  // Axes of a plot with linear scales; returns the scales and the drawn axes.
  T.axes = (width, height, maxX, maxY, labelX, labelY) => {
    const box = { left: 44, right: width - 12, top: 12, bottom: height - 38 };
    const x = (v) => box.left + (v / maxX) * (box.right - box.left),
      y = (v) => box.bottom - (v / maxY) * (box.bottom - box.top);
    const ticks = (max, count) => {
      const raw = max / count,
        unit = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((f) => f * unit).find((s) => s >= raw);
      return Array.from({ length: Math.floor(max / step) + 1 }, (_, i) =>
        Number((i * step).toPrecision(12)),
      );
    };
    const parts = [
      T.line(box.left, box.bottom, box.right, box.bottom, { class: "axis" }),
      T.line(box.left, box.top, box.left, box.bottom, { class: "axis" }),
      ticks(maxX, width < 420 ? 4 : 6).map((v) =>
        T.text(x(v), box.bottom + 15, v, { "text-anchor": "middle", class: "mute" }),
      ),
      ticks(maxY, 5)
        .map((v) => [
          T.line(box.left, y(v), box.right, y(v), { class: "grid" }),
          T.text(box.left - 6, y(v) + 4, v, { "text-anchor": "end", class: "mute" }),
        ])
        .flat(),
      T.text((box.left + box.right) / 2, height - 6, labelX, {
        "text-anchor": "middle",
      }),
      T.text(12, (box.top + box.bottom) / 2, labelY, {
        "text-anchor": "middle",
        transform: `rotate(-90 12 ${(box.top + box.bottom) / 2})`,
      }),
    ];
    return { x, y, parts: parts.flat() };
  };

  // A tree from the root down: leaves one apart, a parent between its children;
  // `childrenOf` gives none or two.
  T.layout = (root, childrenOf) => {
    const nodes = [],
      edges = [];
    let leaves = 0;
    const walk = (item, depth, path) => {
      const at = { item, depth, path },
        children = childrenOf(item);
      nodes.push(at);
      const ends = children.map((child, i) => walk(child, depth + 1, `${path}${i}`));
      edges.push(...ends.map((end) => [at, end]));
      at.x = ends.length ? (ends[0].x + ends[1].x) / 2 : leaves++;
      at.leaf = !ends.length;
      return at;
    };
    walk(root, 0, "");
    return { nodes, edges, leaves, height: Math.max(...nodes.map((at) => at.depth)) };
  };

  // ---- the address ------------------------------------------------------------------

  // The state of a picture behind the #: "#name:key=value&key=value". Other anchors are
  // left alone.
  T.address = (name) => ({
    write: (state) => {
      try {
        window.history.replaceState(null, "", `#${name}:${new URLSearchParams(state)}`);
      } catch {
        /* a frame without an address */
      }
    },
    // Call `then` with the state that the address has, and with each that it gets. Who
    // follows a link to a state sees the picture; who reloads or comes back stays where
    // they were.
    follow: (then) => {
      const read = () => {
        const [, of, state] = window.location.hash.match(/^#([\w-]+):(.*)$/) ?? [];
        if (of === name) then(Object.fromEntries(new URLSearchParams(state)));
        return of === name;
      };
      const lead = () =>
        document.querySelector(`[data-picture="${name}"]`).scrollIntoView();
      window.addEventListener("hashchange", () => {
        if (read()) lead();
      });
      const [visit] = performance.getEntriesByType("navigation");
      if (!read() || visit?.type !== "navigate") return;
      if (document.readyState === "complete") lead();
      else window.addEventListener("load", lead, { once: true });
    },
  });

  // ---- pictures ---------------------------------------------------------------------

  const pictures = new Map();
  function start(figure) {
    const setUp = pictures.get(figure.dataset.picture);
    if (!setUp || figure.dataset.live) return;
    const data = figure.querySelector('script[type="application/json"]');
    const live = T.html("div", { class: `picture-live ${figure.dataset.picture}` });
    figure.dataset.live = "true";
    figure.append(live);
    const width = () =>
      Math.max(280, Math.floor(live.clientWidth || figure.clientWidth || 680));
    const picture = setUp(live, data ? JSON.parse(data.textContent) : null, width);
    figure.picture = picture; // for tests and for the curious
    let last = width();
    if (picture.draw && "ResizeObserver" in window) {
      new ResizeObserver(() => {
        if (width() !== last) {
          last = width();
          picture.draw();
        }
      }).observe(live);
    }
  }
  T.picture = (name, setUp) => {
    pictures.set(name, setUp);
    const all = () =>
      document.querySelectorAll(`[data-picture="${name}"]`).forEach(start);
    if (document.readyState === "loading")
      document.addEventListener("DOMContentLoaded", all);
    else all();
  };
})();
