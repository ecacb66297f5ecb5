import type { ReactNode } from 'react'
import { arrange } from './arrange.ts'
import type { ContentParts } from './content-parts.ts'
import type { HtmlNode } from './parse-html.ts'
import { showSpecial } from './special-elements.tsx'
import { toReact } from './to-react.ts'

/** Returns the elements of a message with all its parts, such as code blocks and pictures. */
export const contentToReact = (nodes: readonly HtmlNode[], parts: ContentParts): ReactNode[] =>
  toReact(arrange(nodes), showSpecial, parts)
