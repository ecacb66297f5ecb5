import { type ReactNode, useMemo } from 'react'
import { decodeEntities } from './decode-entities.ts'
import './message-content.css'
import { parseHtml } from './parse-html.ts'
import { toReact } from './to-react.ts'

/** A message as its server rendered it, built from an allow-list of elements. */
export function MessageContent({ html }: { html: string }): ReactNode {
  const content = useMemo(() => toReact(parseHtml(html, decodeEntities)), [html])
  return <div className="message-content">{content}</div>
}
