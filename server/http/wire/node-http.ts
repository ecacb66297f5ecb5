/** An import of `node:http` would also load its WebSocket client, which takes 40 ms and 13 MB. */
export const { createServer, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')
