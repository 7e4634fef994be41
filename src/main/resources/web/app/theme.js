// Light and dark.

const wanted = matchMedia('(prefers-color-scheme: dark)');

export function themeOf(state) {
  return state.theme || (wanted.matches ? 'dark' : 'light');
}

export function onThemeChange(listener) {
  wanted.addEventListener('change', listener);
}

/** Colours of lines and text on canvases, as app.css has them. */
export function inkOf(theme) {
  return theme === 'dark'
    ? { line: '#31363f', soft: '#a0a8b5', text: '#e8eaee', back: '#14161a' }
    : { line: '#dfe2e7', soft: '#596170', text: '#16191f', back: '#ffffff' };
}
