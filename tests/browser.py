"""A browser that a test drives: real keys, real clicks, through Chromium's debugging pipe. No package is needed.

    with Browser("chromium", folder) as page:
        page.open(url)
        page.until("document.body.dataset.ready")
        page.click("#program"), page.type("vmir"), page.key("Tab")
"""
import base64
import json
import os
import subprocess
import time

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "End": 35}


class Browser:
    def __init__(self, program, folder, size=(1400, 1000), dark=False):
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        def pipes():  # the browser reads from 3 and writes to 4
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3), os.dup2(b, 4)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={folder}/profile", f"--window-size={size[0]},{size[1]}", "--remote-debugging-pipe"]
        self.process = subprocess.Popen([program, *options], preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=open(f"{folder}/browser.log", "w"),
                                        env={**os.environ, "HOME": folder})
        os.close(to_browser), os.close(from_browser)
        self.rest, self.number, self.session, self.complaints = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write)  # it ends when its pipe does
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def call(self, method, **arguments):
        self.number += 1
        message = {"id": self.number, "method": method, "params": arguments}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.read, 1 << 20)
                if not more:
                    raise RuntimeError("the browser is gone")
                self.rest += more
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                self.complaints.append(answer["params"]["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.complaints.append(answer["params"]["entry"]["text"])

    def open(self, url):
        self.call("Page.navigate", url=url)

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression, seconds=30):
        """Waits until it is true, and gives what it is then."""
        end = time.monotonic() + seconds
        while True:
            try:
                value = self.ask(expression)
            except RuntimeError as error:  # a page on its way to the next one
                value = None
                if time.monotonic() > end:
                    raise error
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not so after {seconds} s: {expression}; status: {self.ask('document.body.innerText')[:400]}")
            time.sleep(0.05)

    def click(self, selector):
        box = self.until(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
                         " e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
                         " return [b.x + b.width / 2, b.y + Math.min(b.height / 2, 20)]; })()", 10)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def type(self, text):
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="char", text=letter)

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=KEYS[name])

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
