import type { ReactNode } from 'react'
import { RenderedContent } from '../message-view/rendered-content.tsx'
import type { Channel } from '../store/organization.ts'

/** The rendered description of a channel; nothing if it has none. */
export function ChannelAbout(props: {
  channel: Pick<Channel, 'description' | 'rendered_description'>
  className?: string
}): ReactNode {
  const { channel, className } = props
  const { description, rendered_description: html } = channel
  if (description === '') return null
  return <div className={className}>{html === '' ? <p>{description}</p> : <RenderedContent html={html} />}</div>
}
