import { type ComponentType, type ReactNode, useMemo } from 'react'
import { decodeEntities } from './decode-entities.ts'
import { highlightWords } from './highlight-words.ts'
import './message-content.css'
import { parseHtml } from './parse-html.ts'
import { type Code, toReact } from './to-react.ts'

const NO_WORDS: readonly string[] = []

/** Shows a message as the server rendered it, built from an allow-list of elements, with the words highlighted. */
export function MessageContent(props: {
  html: string
  words?: readonly string[]
  /** The tools that each code block shows. */
  codeTools?: ComponentType<Code>
}): ReactNode {
  const { html, words: text = NO_WORDS, codeTools } = props
  const content = useMemo(
    () => toReact(highlightWords(parseHtml(html, decodeEntities), text), codeTools),
    [html, text, codeTools],
  )
  return <div className="message-content">{content}</div>
}
