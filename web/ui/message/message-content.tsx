import { type ClipboardEvent, type ReactNode, useMemo } from 'react'
import type { ContentParts } from './content-parts.ts'
import { contentToReact } from './content-to-react.ts'
import { copyWithFormulas } from './copy-with-formulas.ts'
import { decodeEntities } from './decode-entities.ts'
import { Fold, mayBeLong } from './fold.tsx'
import { highlightWords } from './highlight-words.ts'
import { isBigEmoji } from './is-big-emoji.ts'
import './message-content.css'
import { MessageKey } from './opened-parts.ts'
import { parseHtml } from './parse-html.ts'

const NO_WORDS: readonly string[] = []
const NO_PARTS: ContentParts = {}

/** Shows a message as the server rendered it, built from an allow-list of elements, with the words highlighted. */
export function MessageContent(props: {
  html: string
  words?: readonly string[]
  parts?: ContentParts
  /** With it, opened spoilers and code stay open while the message is scrolled away. */
  messageId?: number
  /** Long messages are cut off until the user asks for the rest. */
  folds?: boolean
}): ReactNode {
  const { html, words = NO_WORDS, parts = NO_PARTS, messageId, folds = false } = props
  const { content, isBig } = useMemo(() => {
    const nodes = parseHtml(html, decodeEntities)
    return { content: contentToReact(highlightWords(nodes, words), parts), isBig: isBigEmoji(nodes) }
  }, [html, words, parts])
  return (
    <MessageKey value={messageId === undefined ? undefined : String(messageId)}>
      <div className={isBig ? 'message-content message-emoji' : 'message-content'} onCopy={onCopy}>
        {folds && mayBeLong(html) ? <Fold>{content}</Fold> : content}
      </div>
    </MessageKey>
  )
}

function onCopy(event: ClipboardEvent): void {
  const text = copyWithFormulas(window.getSelection())
  if (text === null) return
  event.clipboardData.setData('text/plain', text)
  event.preventDefault()
}
