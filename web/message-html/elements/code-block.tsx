import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronUp from 'lucide-react/icons/chevron-up'
import TextWrap from 'lucide-react/icons/text-wrap'
import { type ReactNode, useMemo } from 'react'
import { t } from '../../text/t.ts'
import './code-block.css'
import './code-colors.css'
import { type Code, type ContentParts, useOpened } from '../content-parts.ts'
import { ContentTool, CopyTool } from '../content-tool.tsx'
import type { HtmlNode } from '../parse-html.ts'
import { linesOf } from './code-lines.ts'

/** Code with more lines than `MAX_LINES` only shows the first `FOLDED_LINES` until the user expands it. */
const MAX_LINES = 20
const FOLDED_LINES = 15

/** Code with fewer lines has no line numbers. */
const MIN_NUMBERED_LINES = 11

/** A code block with its language and tools. `show` turns the nodes of a line into elements. */
export function CodeBlock(props: {
  code: Code
  nodes: readonly HtmlNode[]
  show: (nodes: readonly HtmlNode[]) => ReactNode
  part: string
  CodeLinks: ContentParts['CodeLinks']
}): ReactNode {
  const { code, nodes, show, part, CodeLinks } = props
  const [isOpen, setOpen] = useOpened(`code ${part}`)
  const [isWrapped, setWrapped] = useOpened(`wrap ${part}`)
  const lines = useMemo(() => linesOf(nodes), [nodes])
  const isFoldable = lines.length > MAX_LINES
  const Chevron = isOpen ? ChevronUp : ChevronDown
  return (
    <div className="codehilite" data-wrapped={isWrapped ? '' : undefined}>
      <div className="code-head">
        <span className="code-language">{code.language || t('Code')}</span>
        <ContentTool aria-label={t('Wrap lines')} aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
          <TextWrap className="icon" aria-hidden="true" />
        </ContentTool>
        {CodeLinks && <CodeLinks {...code} />}
        <CopyTool text={code.text} label={t('Copy code')} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it can scroll, which must also work by keyboard */}
      <pre tabIndex={0}>
        {lines.length < MIN_NUMBERED_LINES ? (
          <code>{show(nodes)}</code>
        ) : (
          <NumberedLines lines={isFoldable && !isOpen ? lines.slice(0, FOLDED_LINES) : lines} show={show} />
        )}
      </pre>
      {isFoldable && (
        <ContentTool className="code-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Chevron className="icon" aria-hidden="true" />
          {isOpen
            ? t('Show fewer lines')
            : t('{count, plural, one {Show # line} other {Show all # lines}}', { count: lines.length })}
        </ContentTool>
      )}
    </div>
  )
}

/** Lines of code with numbers. The style sheet draws the numbers, so that they are not copied. */
function NumberedLines(props: {
  lines: readonly HtmlNode[][]
  show: (nodes: readonly HtmlNode[]) => ReactNode
}): ReactNode {
  const { lines, show } = props
  return (
    <code className="code-numbered">
      {lines.map((line, at) => (
        <span key={at} className="code-line">
          {show(line)}
        </span>
      ))}
    </code>
  )
}
