"""A browser that clicks through the page, spoken to by WebDriver's protocol."""
import collections, json, tempfile, time, urllib.error, urllib.request
from common import WORK, quiet
from loads import end_group, free_port

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
EVERY, PATIENCE, LIMIT = 20, 15, 7200
TABS = "document.querySelectorAll('[role=tab]')"


class Browser:
    def __init__(self):
        self.base = f"http://127.0.0.1:{free_port()}"
        self.driver = quiet(["timeout", str(LIMIT), "chromedriver", "--port=" + self.base.rsplit(":", 1)[1]], start_new_session=True)
        try:
            end = time.monotonic() + 30
            while True:
                try:
                    self.call("/status")
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.1)
            home = tempfile.mkdtemp(dir=WORK)
            options = {"args": [*FLAGS, "--user-data-dir=" + home, "--window-size=1400,1000"]}
            session = self.call("/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
            self.session = "/session/" + session["sessionId"]
        except BaseException:
            self.close()
            raise

    def call(self, path, body=None):
        request = urllib.request.Request(self.base + path, json.dumps(body).encode() if body is not None else None,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def show(self, address):
        self.call(self.session + "/url", {"url": address})

    def script(self, body):
        return self.call(self.session + "/execute/sync", {"script": body, "args": []})

    def await_true(self, expression, patience=PATIENCE):
        end = time.monotonic() + patience
        while not self.script(f"return !!({expression})"):
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def close(self):
        end_group(self.driver)


def browse(stop, port):
    """Clicks through every view, every 20 s: rounds, views that came, those that did not in time, errors that the page shows."""
    browser, told = Browser(), collections.Counter()
    errors = collections.Counter()
    try:
        while not stop.is_set():
            begin = time.monotonic()
            try:
                click_through(browser, f"http://localhost:{port}/", told, errors, stop)
            except urllib.error.HTTPError as e:
                errors["driver: " + e.read().decode(errors="replace")[:150]] += 1
            except OSError as e:
                errors[f"driver: {e}"] += 1
            stop.wait(max(1, EVERY - (time.monotonic() - begin)))
    finally:
        browser.close()
    return {**told, "errors": errors.most_common(6)}


def click_through(browser, address, told, errors, stop):
    if not browser.script(f"return !!window.plumb && {TABS}.length > 0"):
        browser.show(address)
        if not browser.await_true(f"window.plumb && {TABS}.length > 0"):
            told["page did not come"] += 1
            return
    told["rounds"] += 1
    for number in range(browser.script(f"return {TABS}.length")):
        if stop.is_set():
            return
        browser.script(f"{TABS}[{number}].click()")
        told["views" if browser.await_true("plumb.ready()") else "views not ready within 15 s"] += 1
        errors.update(browser.script("return plumb.errors()"))
