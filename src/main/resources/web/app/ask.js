// Queries to the server.

/** The URL of a query. */
export function addressOf(path, params) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== '') {
        query.append(name, one);
      }
    }
  }
  const text = query.toString();
  return 'api/' + path + (text ? '?' + text : '');
}

/** The answer, or an error { message, code, status }; `network` if there was none at all. */
export async function ask(path, params, signal) {
  let response;
  try {
    response = await fetch(addressOf(path, params), { signal });
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
    throw Object.assign(new Error('The server does not answer'), { network: true });
  }
  if (response.status === 401) {
    location.assign('login');
  }
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
  }
  if (!response.ok || !body) {
    const message = (body && body.message) || `The server answered ${response.status}`;
    throw Object.assign(new Error(message), {
      code: (body && body.code) || 'unknown',
      status: response.status,
      network: [429, 502].includes(response.status),
    });
  }
  return body;
}
