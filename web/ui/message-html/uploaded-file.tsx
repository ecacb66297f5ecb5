import type { ReactNode } from 'react'
import { VideoPlayer } from './external-media.tsx'
import { FileCard } from './file-card.tsx'
import { fileKind } from './media-address.ts'

/** An uploaded file: a player for videos and sounds, a card for all other files. */
export function UploadedFile({ address, name }: { address: string; name: string }): ReactNode {
  const kind = fileKind(address.split(/[?#]/, 1)[0]!)
  if (kind === 'video') return <VideoPlayer source={address} name={name} />
  if (kind !== 'audio') return <FileCard address={address} name={name} />
  return (
    <div className="message-audio">
      <a href={address} target="_blank" rel="noopener noreferrer">
        {name}
      </a>
      {/* biome-ignore lint/a11y/useMediaCaption: users upload recordings without captions */}
      <audio src={address} aria-label={name} controls preload="metadata" />
    </div>
  )
}
