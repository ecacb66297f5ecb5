import { z } from 'zod'
import type { Playground } from './playground-queries.ts'

export const playgroundJson = z.strictObject({
  id: z.int(),
  name: z.string(),
  pygments_language: z.string(),
  url_template: z.string(),
})

type PlaygroundJson = z.infer<typeof playgroundJson>

export function toPlaygroundJson({ id, name, language, urlTemplate }: Playground): PlaygroundJson {
  return { id, name, pygments_language: language, url_template: urlTemplate }
}
