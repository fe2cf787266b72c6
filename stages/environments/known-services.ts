/**
 * Services that the tests of a repository need and that no table names: in the official images the tests reach them
 * on the internet. Here they run beside the tests, under the same host names.
 */
import type { PartialRecipe } from '../../schemas/recipe.ts';

const PROGRAMS = '/opt/env/services/httpbin/bin';
const TLS = '/tmp/.httpbin';

/**
 * httpbin.org with both of its ports. Old releases of requests keep their own list of certificates, so its
 * certificate is added there.
 */
const HTTPBIN: PartialRecipe = {
  background: [
    {
      name: 'httpbin',
      pip: ['httpbin==0.10.2', 'gunicorn==23.0.0', 'trustme==1.2.1'],
      // A test is redirected to the second one; any page will do.
      hosts: ['httpbin.org', 'www.google.co.uk'],
      run: 'gunicorn --bind 127.0.0.1:80 --threads 8 httpbin:app',
      port: 80,
      timeout: 120,
    },
    {
      name: 'httpbin-tls',
      run: [
        `mkdir -p ${TLS} && cd ${TLS} && ${PROGRAMS}/python -m trustme -q -i httpbin.org`,
        `exec ${PROGRAMS}/gunicorn --bind 127.0.0.1:443 --threads 8 --certfile server.pem --keyfile server.key httpbin:app`,
      ].join(' && '),
      port: 443,
      timeout: 120,
    },
  ],
  eval_commands: [`if [ -f requests/cacert.pem ]; then cat ${TLS}/client.pem >> requests/cacert.pem; fi`],
};

const SITES = '/tmp/.sites';
const SITES_PYTHON = '/opt/env/services/sites/bin/python';
const SITE_NAMES = ['www.google.com', 'www.python.org', 'www.sphinx-doc.org', 'www.w3.org'];
/** A picture of one point. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * The pages that sphinx's tests look at: each is there and has the anchors that are looked for. Of pictures there is only
 * the logo that a test puts into a document. The certificate is added to those that requests trusts.
 */
const SPHINX_LINKS: PartialRecipe = {
  background: [
    {
      name: 'sites',
      pip: ['trustme==1.2.1'],
      hosts: SITE_NAMES,
      run: `set -e; mkdir -p ${SITES}; cd ${SITES}
${SITES_PYTHON} -m trustme -q -i ${SITE_NAMES.join(' ')}
exec ${SITES_PYTHON} - <<'END'
import base64, http.server, ssl, threading

class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        page, kind = b'<h1 id="install-sphinx">A page</h1><p id="defaulting">', 'text/html'
        if self.path.lower().endswith('.png'):
            isLogo = self.path.endswith('/python-logo.png')
            page, kind = base64.b64decode('${PNG}') if isLogo else b'', 'image/png'
        self.send_response(200 if page else 404)
        self.send_header('Content-Type', kind)
        self.end_headers()
        if self.command == 'GET':
            self.wfile.write(page)

    do_HEAD = do_GET

plain, secure = [http.server.ThreadingHTTPServer(('127.0.0.1', port), Site) for port in (80, 443)]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('server.pem', 'server.key')
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
secure.serve_forever()
END`,
      port: 443,
      timeout: 120,
    },
  ],
  eval_commands: [`cat ${SITES}/client.pem >> "$(python -m certifi)"`],
};

/** By `owner/name` in lower case. */
const SERVICES: Readonly<Record<string, PartialRecipe>> = {
  'psf/requests': HTTPBIN,
  'sphinx-doc/sphinx': SPHINX_LINKS,
};

export function servicesOf(repo: string): PartialRecipe {
  return SERVICES[repo.toLowerCase()] ?? {};
}
