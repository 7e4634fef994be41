// The selector as text, with completion of labels and their values.
import { h } from '../lib/preact.js';
import { useEffect, useRef, useState } from '../lib/hooks.js';
import { ask } from './ask.js';
import { parseSelector, selectorText } from './selector.js';

const MOST = 12;

/** What is being typed before the caret: { kind: 'name' | 'value', name, part, from }. */
export function typed(text, caret) {
  const before = text.slice(0, caret);
  const value = /([\w.]+)\s*(?:=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)$/.exec(before);
  if (value) {
    return { kind: 'value', name: value[1], part: value[2], from: caret - value[2].length };
  }
  const name = /([\w.]*)$/.exec(before);
  return { kind: 'name', name: '', part: name[1], from: caret - name[1].length };
}

/** A word alone is a part of a process's name. */
function completed(text) {
  const trimmed = text.trim();
  if (trimmed === '') {
    return [];
  }
  if (/^[\w .:/-]+$/.test(trimmed)) {
    const value = trimmed.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return [{ name: 'comm', operator: '=~', value: `.*${value}.*` }];
  }
  return parseSelector(trimmed.startsWith('{') ? trimmed : `{${trimmed}}`);
}

export function Filter({ model }) {
  const { query } = model.now;
  const [text, setText] = useState(query);
  const [list, setList] = useState([]);
  const [chosen, setChosen] = useState(-1);
  const [wrong, setWrong] = useState(false);
  const input = useRef(null);
  const turn = useRef(0);
  useEffect(() => {
    setText(query);
    setWrong(false);
  }, [query]);

  const suggest = async () => {
    const mine = ++turn.current;
    const { value, selectionStart } = input.current;
    const at = typed(value, selectionStart);
    const window = model.window();
    const params = { from: window.from, to: window.to };
    try {
      const answer = await ask(
        'labels',
        at.kind === 'value' ? { ...params, name: at.name, contains: at.part } : params,
      );
      const part = at.part.toLowerCase();
      const words = (answer.values || answer.names).filter((w) => w.toLowerCase().includes(part));
      words.sort((a, b) => starts(b, part) - starts(a, part) || a.localeCompare(b));
      if (mine === turn.current && document.activeElement === input.current) {
        setList(words.slice(0, MOST).map((word) => ({ word, at })));
        setChosen(-1);
      }
    } catch {
      setList([]);
    }
  };

  const close = () => {
    turn.current++;
    setList([]);
    setChosen(-1);
  };

  const take = ({ word, at }) => {
    const { value } = input.current;
    const end = at.from + at.part.length;
    const quoted = word.replace(/[\\"]/g, '\\$&');
    if (at.kind === 'value') {
      const rest = value.slice(end).replace(/^"?/, '');
      commit(value.slice(0, at.from) + quoted + '"' + rest);
      return;
    }
    const open = value.slice(0, at.from).trim() === '' ? '{' : value.slice(0, at.from);
    const next = `${open}${word}="`;
    setText(next);
    requestAnimationFrame(() => {
      input.current.focus();
      input.current.setSelectionRange(next.length, next.length);
      suggest();
    });
  };

  const commit = (value) => {
    const closed =
      value.trim().startsWith('{') && !value.trim().endsWith('}') ? value + '}' : value;
    const matchers = completed(closed);
    if (matchers === null) {
      setText(value);
      setWrong(true);
      return;
    }
    close();
    setWrong(false);
    setText(selectorText(matchers));
    model.set({ query: selectorText(matchers), zoom: 0 });
  };

  const key = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && list.length) {
      event.preventDefault();
      const places = list.length + 1;
      setChosen(((chosen + 1 + step + places) % places) - 1);
    } else if (event.key === 'Enter' || (event.key === 'Tab' && chosen >= 0)) {
      event.preventDefault();
      if (chosen >= 0 && list[chosen]) {
        take(list[chosen]);
      } else {
        commit(text);
      }
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
      setText(query);
      setWrong(false);
      input.current.blur();
    }
  };

  return h(
    'div',
    { id: 'filter-box' },
    h('input', {
      id: 'filter',
      ref: input,
      type: 'text',
      value: text,
      class: wrong ? 'wrong' : '',
      placeholder: 'Filter: {comm="java"}',
      spellcheck: false,
      autocomplete: 'off',
      role: 'combobox',
      'aria-expanded': list.length > 0,
      'aria-controls': 'completions',
      'aria-label': 'Filter by labels',
      'aria-invalid': wrong,
      onInput: (event) => {
        setText(event.target.value);
        suggest();
      },
      onFocus: suggest,
      onBlur: () => setTimeout(close, 150),
      onKeyDown: key,
    }),
    text !== '' &&
      h(
        'button',
        {
          type: 'button',
          class: 'icon clear',
          title: 'Show everything',
          'aria-label': 'Remove the filter',
          onClick: () => commit(''),
        },
        '×',
      ),
    wrong &&
      h(
        'div',
        { id: 'filter-wrong', role: 'alert' },
        'Expected {label="value"}, with one of = != =~ !~',
      ),
    list.length > 0 &&
      h(
        'ul',
        { id: 'completions', role: 'listbox' },
        list.map((item, i) =>
          h(
            'li',
            {
              role: 'option',
              'aria-selected': i === chosen,
              class: i === chosen ? 'chosen' : '',
              onMouseDown: (event) => {
                event.preventDefault();
                take(item);
              },
            },
            h('bdi', {}, item.word || '(empty)'),
          ),
        ),
      ),
  );
}

const starts = (word, part) => (word.toLowerCase().startsWith(part) ? 1 : 0);
