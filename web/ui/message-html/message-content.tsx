import { type ClipboardEvent, type ReactNode, useMemo } from 'react'
import { CollapsedContent, mayBeLong } from './collapsed-content.tsx'
import type { ContentParts } from './content-parts.ts'
import { contentToReact } from './content-to-react.ts'
import { copyWithFormulas } from './copy-with-formulas.ts'
import { decodeEntities } from './decode-entities.ts'
import { showsEmojiNames } from './emoji-style.ts'
import { highlightWords } from './highlight-words.ts'
import { isBigEmoji } from './is-big-emoji.ts'
import './message-content.css'
import { MessageKey } from './opened-parts.ts'
import { parseHtml } from './parse-html.ts'

const NO_WORDS: readonly string[] = []
const NO_PARTS: ContentParts = {}

/** Matches combining marks that are stacked on a letter. */
const STACKED_MARKS = /\p{M}{3}/u

type Content = { readonly elements: ReactNode[]; readonly className: string }

function readContent(html: string, words: readonly string[], parts: ContentParts): Content {
  const nodes = parseHtml(html, decodeEntities)
  const names = ['message-content']
  if (!showsEmojiNames.get() && isBigEmoji(nodes)) names.push('message-emoji')
  if (STACKED_MARKS.test(html)) names.push('message-clipped')
  return { elements: contentToReact(highlightWords(nodes, words), parts), className: names.join(' ') }
}

/** A cache of contents without highlighted words, since conversations are opened repeatedly. */
const known = new Map<string, { parts: ContentParts; content: Content }>()
const MAX_KNOWN = 1000
showsEmojiNames.subscribe(() => known.clear())

function contentOf(html: string, words: readonly string[], parts: ContentParts): Content {
  if (words.length > 0) return readContent(html, words, parts)
  const found = known.get(html)
  if (found?.parts === parts) return found.content
  if (known.size >= MAX_KNOWN) known.clear()
  const content = readContent(html, words, parts)
  known.set(html, { parts, content })
  return content
}

/**
 * Shows a message as the server rendered it, with the given words highlighted. Only elements of an allow-list are
 * shown.
 */
export function MessageContent(props: {
  html: string
  words?: readonly string[]
  parts?: ContentParts
  /** The id of the message. With it, opened spoilers and code stay open while the message is scrolled away. */
  messageId?: number
  /** True if a long message is cut off until the user expands it. */
  folds?: boolean
}): ReactNode {
  const { html, words = NO_WORDS, parts = NO_PARTS, messageId, folds = false } = props
  const isNamed = showsEmojiNames.use()
  const { elements, className } = useMemo(() => contentOf(html, words, parts), [html, words, parts, isNamed])
  return (
    <MessageKey value={messageId === undefined ? undefined : String(messageId)}>
      <div className={className} onCopy={onCopy}>
        {folds && mayBeLong(html) ? <CollapsedContent>{elements}</CollapsedContent> : elements}
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
