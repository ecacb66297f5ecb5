import type { ReactNode } from 'react'
import type { Channel } from '../../store/organization.ts'
import { RenderedContent } from '../message/content/rendered-content.tsx'

/** The rendered description of a channel; nothing if it has none. */
export function ChannelAbout(props: {
  channel: Pick<Channel, 'description' | 'rendered_description'>
  className?: string
}): ReactNode {
  const { channel, className = '' } = props
  const { description, rendered_description: html } = channel
  if (description === '') return null
  return (
    <div className={`channel-about ${className}`}>
      {html === '' ? <p>{description}</p> : <RenderedContent html={html} />}
    </div>
  )
}
