import { z } from 'zod'

/** Whom a request is about. */
export const principalsParam = z.union([z.array(z.int()), z.array(z.string())]).optional()
