/** Variables of every command in a sandbox or a container; the environment's and the command's own come after. */

export const COMMAND_VARIABLES = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  USER: 'root',
  LOGNAME: 'root',
  SHELL: '/bin/bash',
  LC_CTYPE: 'C.UTF-8',
  TERM: 'dumb',
};

/** The port of the loopback inside that leads to swemake's proxy. */
export const PROXY_PORT = 3128;
const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`;
const NO_PROXY = 'localhost,127.0.0.1,::1';
/** Beside them where the network is `proxy`. */
export const PROXY_VARIABLES = {
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  no_proxy: NO_PROXY,
  NO_PROXY,
};
