import { useNavigate } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { currentOrganization } from '../../../store/organization.ts'
import type { ContentParts } from '../../../ui/message-html/content-parts.ts'
import { MessageContent } from '../../../ui/message-html/message-content.tsx'
import { hashLocation } from '../../hash-links/hash-location.ts'
import { ChannelLink } from './channel-link.tsx'
import { CodeLinks } from './code-links.tsx'
import { Mention } from './mention.tsx'
import { Moment } from './moment.tsx'

export const CONTENT_PARTS: ContentParts = { ChannelLink, CodeLinks, Mention, Moment }

/**
 * A message, or other content with the same syntax. Parts such as mentions and channel links show the current data of
 * the organization.
 */
export function RenderedContent(props: {
  html: string
  words?: readonly string[]
  messageId?: number
  folds?: boolean
}): ReactNode {
  const navigate = useNavigate()

  /** Opens links to the client's own pages with the router, because the browser would load the client again. */
  function onClick(event: MouseEvent) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a[href*="#"]') : null
    const address = link instanceof HTMLAnchorElement ? new URL(link.href) : null
    if (address === null || address.origin !== location.origin) return
    const found = hashLocation(address.hash, currentOrganization()?.user_id ?? 0)
    if (found === null) return
    event.preventDefault()
    void navigate({ to: found.to, search: found.search })
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside are interactive
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys click the links inside
    <div onClick={onClick}>
      <MessageContent {...props} parts={CONTENT_PARTS} />
    </div>
  )
}
