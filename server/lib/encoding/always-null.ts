import { z } from 'zod'

/**
 * Returns the schema of a field that is always null on this server. It names the type that the field has on other
 * servers, because client generators need it.
 */
export const alwaysNull = (type: 'integer' | 'string') =>
  z.null().meta({
    type: [type, 'null'],
    ...(type === 'integer' && { format: 'int64' }),
    description: 'Always null on this server.',
  })
