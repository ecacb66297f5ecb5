import { z } from 'zod'
import type { RealmLinkifier } from './linkifier-queries.ts'

export const linkifierJson = z.object({ id: z.int(), pattern: z.string(), url_template: z.string() })

type LinkifierJson = z.infer<typeof linkifierJson>

export function toLinkifierJson({ id, pattern, urlTemplate }: RealmLinkifier): LinkifierJson {
  return { id, pattern, url_template: urlTemplate }
}
