import { type ComponentType, type ReactNode, useMemo } from 'react'
import { decodeEntities } from './decode-entities.ts'
import { highlightWords } from './highlight-words.ts'
import './message-content.css'
import { parseHtml } from './parse-html.ts'
import { type Code, toReact } from './to-react.ts'

const NO_WORDS: readonly string[] = []

/** A message as its server rendered it, built from an allow-list of elements, with these words marked in it. */
export function MessageContent(props: {
  html: string
  words?: readonly string[]
  /** What stands with each piece of code. */
  codeTools?: ComponentType<Code>
}): ReactNode {
  const { html, words: text = NO_WORDS, codeTools } = props
  const content = useMemo(
    () => toReact(highlightWords(parseHtml(html, decodeEntities), text), codeTools),
    [html, text, codeTools],
  )
  return <div className="message-content">{content}</div>
}
