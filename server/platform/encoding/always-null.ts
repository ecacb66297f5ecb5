import { z } from 'zod'

/**
 * Returns the type of a field that is always null on this server. Generated clients need the type that the field has on
 * other servers.
 */
export const alwaysNull = (type: 'integer' | 'string') =>
  z.null().meta({ type: [type, 'null'], description: 'Always null on this server.' })
