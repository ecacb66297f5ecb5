import { z } from 'zod'

/** A field that is always null here. Generated clients need the type that it has on other servers. */
export const alwaysNull = (type: 'integer' | 'string') =>
  z.null().meta({ type: [type, 'null'], description: 'Always null on this server.' })
