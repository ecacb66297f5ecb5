import { useSelector } from '@tanstack/react-store'
import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronUp from 'lucide-react/icons/chevron-up'
import {
  type ClipboardEvent,
  type FocusEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { t } from '../text/t.ts'
import { type ContentParts, MessageKey, useOpened } from './content-parts.ts'
import { contentToReact } from './content-to-react.tsx'
import { ContentTool } from './content-tool.tsx'
import { showsEmojiNames } from './display-settings.ts'
import { isBigEmoji } from './emoji-text.ts'
import { decodeEntities, parseHtml } from './parse-html.ts'
import { highlightWords } from './tree/highlight-words.ts'
import './message-content.css'

const BLOCKS = new Set(['P', 'DIV', 'LI', 'BLOCKQUOTE', 'PRE', 'TR', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'BR'])

/** Returns the selected text with the source of each formula in it; null if the selection has no formula. */
function copyWithFormulas(selection: Selection | null): string | null {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const selected = selection.getRangeAt(0).cloneContents()
  if (selected.querySelector('.formula') === null) return null
  return plainText(selected)
    .replace(/\n{2,}/g, '\n')
    .trim()
}

function plainText(node: Node): string {
  if (node instanceof Text) return node.data
  if (node instanceof Element && node.classList.contains('formula')) {
    return `$$${node.querySelector('annotation')?.textContent?.trim() ?? node.textContent}$$`
  }
  const text = [...node.childNodes].map(plainText).join('')
  return BLOCKS.has(node.nodeName) ? `${text}\n` : text
}

/**
 * Cuts off content that is higher than most of the window, until the user expands it. Content that exceeds the limit
 * only a little is shown whole.
 */
function CollapsedContent({ children }: { children: ReactNode }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  /** Undefined until the content is measured. */
  const [isCut, setCut] = useState<boolean>()
  const [isOpen, setOpen] = useOpened('fold')
  /** True once the user has pressed something inside. Code that the user expands must not be cut off again. */
  const isTouched = useRef(false)
  const open = useEffectEvent(() => setOpen(true))
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const isHigh = inner.current !== null && inner.current.offsetHeight > maxHeight(box.current)
      if (isHigh && isTouched.current) open()
      setCut(isHigh)
    })
    observer.observe(inner.current!)
    return () => observer.disconnect()
  }, [])

  /** Expands the content if the focused element is not visible. */
  function onFocus({ target }: FocusEvent) {
    const isHidden = target.getBoundingClientRect().bottom > (box.current?.getBoundingClientRect().bottom ?? 0)
    if (isCut && isHidden) setOpen(true)
  }

  function touch() {
    if (!isCut) isTouched.current = true
  }

  function toggle() {
    setOpen(!isOpen)
    isTouched.current = false
    if (isOpen) box.current?.closest('[data-message]')?.scrollIntoView({ block: 'nearest' })
  }

  const Chevron = isOpen ? ChevronUp : ChevronDown
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the elements inside are interactive */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys click the elements inside */}
      <div
        ref={box}
        className="fold"
        data-open={isOpen || isCut === false ? '' : undefined}
        data-cut={isCut ? '' : undefined}
        onFocus={onFocus}
        onClick={touch}
      >
        <div ref={inner}>{children}</div>
      </div>
      {isCut && (
        <ContentTool className="fold-more" aria-expanded={isOpen} onClick={toggle}>
          <Chevron className="icon" aria-hidden="true" />
          {isOpen ? t('Show less') : t('Show more')}
        </ContentTool>
      )}
    </>
  )
}

/** Returns the height from which content is cut off. Its shown part is smaller, so that what is hidden is worth a click. */
const maxHeight = (box: HTMLElement | null) => (box?.ownerDocument.documentElement.clientHeight ?? 0) * 0.8

/** Returns true if a message may be high enough to be cut off. Short messages need not be measured. */
const mayBeLong = (html: string): boolean =>
  html.length > 1000 || (html.match(/<(?:br|p|li|tr|div|img|h\d)\b/g)?.length ?? 0) > 8

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
  const isNamed = useSelector(showsEmojiNames)
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
