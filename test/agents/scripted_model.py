"""A model that answers from a script, in the four protocols that coding agents speak, streamed or not: first it calls the
agent's shell, and with the result of that it says that it is done. It writes what it was asked into a file."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMAND = "echo made > made.txt"
SHELLS = ("bash", "Bash", "shell", "exec_command", "shell_command", "local_shell", "run_shell_command", "terminal", "execute_bash")
DONE = "All done."
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def arguments(schema):
    """What the tool with these parameters takes to run the command."""
    properties = (schema or {}).get("properties", {})
    found = {}
    for name, spec in properties.items():
        if name in ("command", "cmd"):
            found[name] = ["bash", "-lc", COMMAND] if spec.get("type") == "array" else COMMAND
        elif name in (schema or {}).get("required", ()):
            kind = spec.get("type")
            found[name] = spec["enum"][0] if "enum" in spec else {"boolean": False, "integer": 1, "number": 1, "array": []}.get(kind, "make the file")
    return found


def shell_of(tools):
    """Name and parameters of the agent's shell."""
    for tool in tools:
        body = tool.get("function", tool)
        if body.get("name") in SHELLS:
            return body["name"], body.get("parameters") or body.get("parametersJsonSchema") or body.get("input_schema")
    return None


def chat(body):
    called = any(message["role"] == "tool" for message in body["messages"])
    shell = None if called else shell_of(body.get("tools") or ())
    call = None if shell is None else {"id": "call_1", "type": "function", "function": {"name": shell[0], "arguments": json.dumps(arguments(shell[1]))}}
    message = {"role": "assistant", "content": DONE if call is None else None}
    if call is not None:
        message["tool_calls"] = [call]
    finish = "stop" if call is None else "tool_calls"
    head = {"id": "c1", "created": 1, "model": body["model"]}
    if not body.get("stream"):
        yield None, {**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": USAGE}
        return
    delta = {**message, **({} if call is None else {"tool_calls": [{**call, "index": 0}]})}
    yield None, {**head, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, {**head, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": USAGE}
    yield None, "[DONE]"


def responses(body):
    items = body["input"] if isinstance(body["input"], list) else []
    called = any(str(item.get("type", "")).endswith("call_output") for item in items)
    shell = None if called else shell_of(body.get("tools") or ())
    if shell is None:
        item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": DONE, "annotations": []}]}
    else:
        item = {"type": "function_call", "id": "f1", "call_id": "call_1", "status": "completed", "name": shell[0], "arguments": json.dumps(arguments(shell[1]))}
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
    whole = {"id": "r1", "object": "response", "created_at": 1, "status": "completed", "model": body["model"], "output": [item], "usage": usage}
    if not body.get("stream"):
        yield None, whole
        return
    for number, (name, rest) in enumerate((
        ("response.created", {"response": {**whole, "status": "in_progress", "output": []}}),
        ("response.output_item.added", {"output_index": 0, "item": item}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    )):
        yield name, {"type": name, "sequence_number": number, **rest}


def messages(body):
    def results(message):
        return isinstance(message["content"], list) and any(part.get("type") == "tool_result" for part in message["content"])

    called = any(results(message) for message in body["messages"])
    shell = None if called else shell_of(body.get("tools") or ())
    wanted = None if shell is None else arguments(shell[1])
    block = {"type": "text", "text": DONE} if shell is None else {"type": "tool_use", "id": "toolu_1", "name": shell[0], "input": wanted}
    stop = "end_turn" if shell is None else "tool_use"
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5}}
    if not body.get("stream"):
        yield None, whole
        return
    empty = {**block, "text": ""} if shell is None else {**block, "input": {}}
    delta = {"type": "text_delta", "text": DONE} if shell is None else {"type": "input_json_delta", "partial_json": json.dumps(wanted)}
    for event in (
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ):
        yield event["type"], event


def generate(body):
    parts = [part for content in body["contents"] for part in content.get("parts", ())]
    called = any("functionResponse" in part for part in parts)
    declared = [one for tool in body.get("tools") or () for one in tool.get("functionDeclarations", ())]
    shell = None if called else shell_of(declared)
    part = {"text": DONE} if shell is None else {"functionCall": {"name": shell[0], "args": arguments(shell[1])}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    yield None, {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}, "modelVersion": "policy"}


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send(json.dumps({"object": "list", "data": [{"id": "policy", "object": "model"}]}), "application/json")

    def do_POST(self):
        size = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(size)
        path = self.path.split("?")[0]
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        key = self.headers.get("authorization") or self.headers.get("x-api-key") or self.headers.get("x-goog-api-key")
        tools = [one for tool in body.get("tools") or () for one in tool.get("functionDeclarations", [tool.get("function", tool)])]
        names = [one.get("name") or one.get("type") for one in tools]
        note = {"path": path, "bytes": size, "key": key, "model": body.get("model") or path, "tools": names}
        with open(sys.argv[2], "a") as log:
            log.write(json.dumps(note) + "\n")
        known = {"/v1/chat/completions": chat, "/v1/responses": responses, "/v1/messages": messages}.get(path)
        if ":streamGenerateContent" in path or ":generateContent" in path:
            known = generate
        if path.endswith("count_tokens"):
            return self.send('{"input_tokens": 10}', "application/json")
        if known is None:
            return self.send("{}", "application/json", 404)
        streamed = body.get("stream") or ":streamGenerateContent" in path
        if not streamed:
            return self.send(json.dumps(next(iter(known(body)))[1]), "application/json")
        text = ""
        for event, data in known(body):
            text += "" if event is None else f"event: {event}\n"
            text += f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
        self.send(text, "text/event-stream")

    def send(self, text, kind, status=200):
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
