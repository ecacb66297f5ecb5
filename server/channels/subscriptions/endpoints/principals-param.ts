import { z } from 'zod'
import { anyInteger } from '../../../http/params.ts'

/** The users that a request is about. */
export const principalsParam = z.union([z.array(anyInteger), z.array(z.string())]).optional()
