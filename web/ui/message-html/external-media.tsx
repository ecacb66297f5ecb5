import Image from 'lucide-react/icons/image'
import Play from 'lucide-react/icons/play'
import { type ReactNode, useState } from 'react'
import { t } from '../../text/t.ts'
import { ContentTool } from './content-tool.tsx'
import { hostOf } from './media-address.ts'
import { Picture } from './picture.tsx'

/**
 * A picture or video of another site. It is loaded only at the user's request, because loading tells that site who
 * reads the message (docs/decisions/0067).
 */
export function ExternalMedia(props: { address: string; name: string; kind: 'picture' | 'video' }): ReactNode {
  const { address, name, kind } = props
  const [isShown, setShown] = useState(false)
  if (isShown && kind === 'picture') return <Picture address={address} thumbnail={address} name={name} size={null} />
  if (isShown) return <VideoPlayer source={address} name={name} />
  const Icon = kind === 'picture' ? Image : Play
  return (
    <div className="file-card">
      <span className="file-icon">
        <Icon className="icon" aria-hidden="true" />
      </span>
      <span className="file-text">
        <a className="file-name" href={address} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
        <span className="file-type">{hostOf(address)}</span>
      </span>
      <ContentTool title={t('Loads from {host}', { host: hostOf(address) })} onClick={() => setShown(true)}>
        {kind === 'picture' ? t('Show picture') : t('Play video')}
      </ContentTool>
    </div>
  )
}

export function VideoPlayer({ source, name }: { source: string; name: string }): ReactNode {
  // biome-ignore lint/a11y/useMediaCaption: users upload videos without captions
  return <video className="message-video" src={source} aria-label={name} controls preload="metadata" />
}
