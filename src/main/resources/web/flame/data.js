// The columns of a tree: as a server sends them, and as a file holds them (numbers of seven bits
// per byte, zlib, base64).

/** Kinds as the writer numbers them. */
export const Kind = {
  ALL: 0,
  PROCESS: 1,
  KERNEL: 2,
  NATIVE: 3,
  JIT: 4,
  INTERPRETED: 5,
  WAITING: 6,
  CUT: 7,
};

export const KIND_NAMES = [
  'everything',
  'process',
  'kernel',
  'native',
  'JIT',
  'interpreted',
  'waiting',
  'incomplete stack',
];

function bytesOf(base64) {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = text.charCodeAt(i);
  }
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  next() {
    let byte = this.bytes[this.at++];
    if (byte < 128) {
      return byte;
    }
    let result = byte & 127;
    let factor = 128;
    do {
      byte = this.bytes[this.at++];
      result += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return result;
  }

  fill(column) {
    for (let i = 0; i < column.length; i++) {
      column[i] = this.next();
    }
    return column;
  }

  text(decoder) {
    const length = this.next();
    const from = this.at;
    this.at += length;
    return decoder.decode(this.bytes.subarray(from, this.at));
  }
}

/** Names, modules and kinds by symbol; functions are symbols not told apart by inlining. */
function symbolTable(strings, names, modules, flags) {
  const count = names.length;
  const symbols = {
    count,
    names: [],
    modules: [],
    kinds: new Uint8Array(count),
    inlined: new Uint8Array(count),
    named: new Uint8Array(count),
    functions: new Int32Array(count),
    functionSymbols: [],
  };
  const functionIds = new Map();
  for (let i = 0; i < count; i++) {
    symbols.names.push(strings[names[i]]);
    symbols.modules.push(strings[modules[i]]);
    symbols.kinds[i] = flags[i] >> 2;
    symbols.named[i] = (flags[i] >> 1) & 1;
    symbols.inlined[i] = flags[i] & 1;
    const key = (flags[i] >> 2) + symbols.names[i] + '\n' + symbols.modules[i];
    if (!functionIds.has(key)) {
      functionIds.set(key, functionIds.size);
      symbols.functionSymbols.push(i);
    }
    symbols.functions[i] = functionIds.get(key);
  }
  return symbols;
}

function readSymbols(numbers) {
  const decoder = new TextDecoder();
  const strings = [];
  for (let left = numbers.next(); left > 0; left--) {
    strings.push(numbers.text(decoder));
  }
  const count = numbers.next();
  const names = new Int32Array(count);
  const modules = new Int32Array(count);
  const flags = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    names[i] = numbers.next();
    modules[i] = numbers.next();
    flags[i] = numbers.next();
  }
  return symbolTable(strings, names, modules, flags);
}

/** The symbols and the columns of nodes: depth, symbol, self and cut for each value column. */
export function columnsOf({ strings, symbols, nodes, cut }) {
  const count = nodes.depths.length;
  return {
    symbols: symbolTable(strings, symbols.names, symbols.modules, symbols.flags),
    nodes: {
      count,
      depth: Int32Array.from(nodes.depths),
      symbol: Int32Array.from(nodes.symbols),
      self: nodes.self.map((column) => Float64Array.from(column)),
      cut: cut.totals.map((totals) => {
        const column = new Float64Array(count);
        cut.nodes.forEach((node, i) => (column[node] = totals[i]));
        return column;
      }),
    },
  };
}

/** The same, from the form that a file holds. */
export async function decode(base64) {
  const numbers = new Numbers(await inflate(bytesOf(base64)));
  const symbols = readSymbols(numbers);
  const count = numbers.next();
  const columns = numbers.next();
  const depth = new Int32Array(count);
  let last = -1;
  for (let i = 0; i < count; i++) {
    last = last + 1 - numbers.next();
    depth[i] = last;
  }
  const symbol = numbers.fill(new Int32Array(count));
  const self = [];
  const cut = [];
  for (let column = 0; column < columns; column++) {
    self.push(numbers.fill(new Float64Array(count)));
    cut.push(new Float64Array(count));
  }
  let node = 0;
  for (let left = numbers.next(); left > 0; left--) {
    node += numbers.next();
    for (let column = 0; column < columns; column++) {
      cut[column][node] = numbers.next();
    }
  }
  return { symbols, nodes: { count, depth, symbol, self, cut } };
}
