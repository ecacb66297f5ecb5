import { z } from 'zod'
import { anyInteger } from '../../../http/params.ts'

/** Whom a request is about. */
export const principalsParam = z.union([z.array(anyInteger), z.array(z.string())]).optional()
