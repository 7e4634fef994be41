// Two hot functions, for ever; "ready" when they have been compiled.
function hotInner(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
  return sum;
}
class Hot {
  get hotGetter() {
    let sum = 0;
    for (let i = 0; i < 100; i++) sum ^= hotInner(1000 + (i % 7));
    return sum;
  }
}
const hot = new Hot();
let sum = 0;
function spin(until) {
  while (Date.now() < until) sum ^= hot.hotGetter;
}
spin(Date.now() + 700);
console.log('ready');
setInterval(() => spin(Date.now() + 90), 100);
