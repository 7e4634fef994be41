// A still picture that zooms and searches when a browser shows it.
(() => {
  'use strict';
  const LETTER = 6.7;
  const MARGIN = 8;
  const svg = document.documentElement;
  const width = svg.viewBox.baseVal.width - 2 * MARGIN;
  const foot = document.getElementById('foot');
  const frames = [...document.querySelectorAll('#frames > g')].map((group) => {
    const boxes = [...group.querySelectorAll('rect')];
    const title = group.querySelector('title').textContent;
    const [name] = title.split(' · ');
    return {
      group,
      boxes,
      title,
      name,
      text: group.querySelector('text'),
      x: Number(boxes[0].getAttribute('x')),
      y: Number(boxes[0].getAttribute('y')),
      width: Number(boxes[0].getAttribute('width')),
    };
  });
  let zoomed = frames[0];
  let query = '';

  function fit(name, room) {
    const letters = Math.floor((room - 6) / LETTER);
    const all = [...name];
    if (letters >= all.length) {
      return name;
    }
    return letters < 4 ? '' : all.slice(0, letters - 1).join('') + '…';
  }

  const contains = (a, b) =>
    a.y <= b.y && a.x <= b.x + 0.01 && a.x + a.width >= b.x + b.width - 0.01;

  function zoom(target) {
    zoomed = target;
    const scale = width / target.width;
    for (const frame of frames) {
      const above = frame.y < target.y && contains(frame, target);
      const inside = contains(target, frame);
      frame.group.style.display = above || inside ? '' : 'none';
      frame.group.classList.toggle('above', above);
      if (above || inside) {
        const x = above ? MARGIN : MARGIN + (frame.x - target.x) * scale;
        const shown = above ? width : frame.width * scale;
        for (const box of frame.boxes) {
          box.setAttribute('x', x);
          box.setAttribute('width', shown);
        }
        frame.text.setAttribute('x', x + 3);
        frame.text.textContent = fit(frame.name, shown);
      }
    }
    search(query);
  }

  /** Marks matches; the share is that of what is zoomed, frames one above another counted once. */
  function search(text) {
    query = text;
    const part = text.trim().toLowerCase();
    const found = part === '' ? [] : frames.filter((f) => f.name.toLowerCase().includes(part));
    const set = new Set(found);
    for (const frame of frames) {
      frame.group.classList.toggle('found', set.has(frame));
      frame.group.classList.toggle('other', part !== '' && !set.has(frame));
    }
    let sum = 0;
    let covered = -Infinity;
    const inside = found.filter((f) => contains(zoomed, f));
    inside.sort((a, b) => a.x - b.x || b.width - a.width);
    for (const frame of inside) {
      if (frame.x + frame.width > covered + 0.005) {
        sum += frame.width;
        covered = frame.x + frame.width;
      }
    }
    const share = sum / zoomed.width;
    foot.textContent =
      part === '' ? '' : `${(100 * share).toFixed(2)} % of ${zoomed.name} matches “${text.trim()}”`;
    return share;
  }

  for (const frame of frames) {
    frame.group.addEventListener('click', () => zoom(frame));
    frame.group.addEventListener('mouseenter', () => {
      foot.textContent = frame.title;
    });
  }

  const holder = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject');
  for (const [name, value] of Object.entries({ x: width - 232, y: 10, width: 240, height: 32 })) {
    holder.setAttribute(name, value);
  }
  const input = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
  input.type = 'search';
  input.placeholder = 'Search  /';
  input.setAttribute('aria-label', 'Search');
  input.style.cssText =
    'box-sizing:border-box;width:100%;height:28px;padding:0 8px;font:13px system-ui,sans-serif';
  input.addEventListener('input', () => search(input.value));
  holder.append(input);
  svg.append(holder);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = '';
      search('');
      zoom(frames[0]);
    } else if (event.key === '/' && event.target !== input) {
      event.preventDefault();
      input.focus();
    }
  });
  window.plumb = { ready: true, search, zoom: (name) => zoom(frames.find((f) => f.name === name)) };
})();
