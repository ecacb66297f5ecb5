import { useSelector } from '@tanstack/react-store'
import Image from 'lucide-react/icons/image'
import Play from 'lucide-react/icons/play'
import { type CSSProperties, lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { t } from '../../text/t.ts'
import { animationPolicy } from '../display-settings.ts'
import * as fileCardCss from '../file-card.module.css'
import { FileCard } from '../file-card.tsx'
import { fileKind, hostOf, nameOfAddress, type PixelSize } from '../media-files.ts'
import * as css from './media.module.css'

const Viewer = lazy(async () => ({ default: (await import('./viewer.tsx')).Viewer }))

/**
 * A picture. It has its final size before it is loaded, so that nothing moves. Pressing it opens the viewer. `original` is
 * the address of a picture of another site, which this server passes on.
 */
export function Picture(props: {
  address: string
  thumbnail: string
  name: string
  size: PixelSize | null
  isAnimated?: boolean
  original?: string | null
}): ReactNode {
  const { address, thumbnail, name, size, isAnimated = false, original = null } = props
  const plays = useSelector(animationPolicy)
  const [isPointedAt, point] = useState(false)
  const [isFailed, setFailed] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
  const isStill = isAnimated && !(plays === 'always' || (plays === 'on_hover' && isPointedAt))
  if (isFailed && original !== null) return <ExternalLink address={original} name={name} kind="picture" />
  if (isFailed) return <FileCard address={address} name={name} isMissing />

  function open(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    setOpen(true)
  }

  return (
    <>
      <a
        ref={link}
        className={css.picture}
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        title={name}
        data-picture={size === null ? '' : `${size.width}x${size.height}`}
        style={measures(size)}
        onClick={open}
        onPointerEnter={() => point(true)}
        onPointerLeave={() => point(false)}
        onFocus={() => point(true)}
        onBlur={() => point(false)}
      >
        {isStill && (
          <span className={css.pictureMark} aria-hidden="true">
            {t('GIF')}
          </span>
        )}
        <img
          src={isStill ? stillThumbnail(thumbnail) : thumbnail}
          alt={name}
          loading="lazy"
          decoding="async"
          onError={() => setFailed(true)}
        />
      </a>
      {isOpen && (
        <Suspense>
          <Viewer opened={link.current!} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Returns the address of the still version of an animated thumbnail. */
const stillThumbnail = (address: string) => address.replace(/-anim(?=\.\w+$)/, '')

/** The space reserved for a picture whose size is unknown, in pixels. */
const UNKNOWN: PixelSize = { width: 600, height: 400 }

/** Returns the properties from which the style sheet derives the size on the screen. */
const measures = (size: PixelSize | null): CSSProperties => {
  const { width, height } = size ?? UNKNOWN
  return { '--picture-width': `${width}px`, '--picture-ratio': String(width / height) } as CSSProperties
}

/** Returns the name of a picture: its title, or else the name of its file. */
export const pictureName = (address: string, title: string | undefined) => title || nameOfAddress(address)

/** A link to a picture or video of another site that this server cannot pass on. */
export function ExternalLink(props: { address: string; name: string; kind: 'picture' | 'video' }): ReactNode {
  const { address, name, kind } = props
  const Icon = kind === 'picture' ? Image : Play
  return (
    <div className={fileCardCss.fileCard}>
      <span className={fileCardCss.fileIcon}>
        <Icon className="icon" aria-hidden="true" />
      </span>
      <span className={fileCardCss.fileText}>
        <a className={fileCardCss.fileName} href={address} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
        <span className={fileCardCss.fileType}>{hostOf(address)}</span>
      </span>
    </div>
  )
}

/** A video. `original` is the address of a video of another site, which this server passes on if it is short. */
export function VideoPlayer(props: { source: string; name: string; original?: string | null }): ReactNode {
  const { source, name, original = null } = props
  const [isFailed, setFailed] = useState(false)
  if (isFailed && original !== null) return <ExternalLink address={original} name={name} kind="video" />
  return (
    // biome-ignore lint/a11y/useMediaCaption: users upload videos without captions
    <video
      className={css.messageVideo}
      src={source}
      aria-label={name}
      controls
      preload="metadata"
      onError={() => setFailed(true)}
    />
  )
}

/** The thumbnail of a video of a service such as YouTube. It links to the page of the video in a new tab. */
export function VideoThumbnail(props: { address: string; title: string | null; thumbnail: string | null }): ReactNode {
  const { address, title, thumbnail } = props
  const [isFailed, setFailed] = useState(false)
  const name = title ?? t('Video')
  if (isFailed || thumbnail === null) return <ExternalLink address={address} name={name} kind="video" />
  return (
    <a className={css.videoThumbnail} href={address} target="_blank" rel="noopener noreferrer" title={address}>
      <span className={css.videoStill}>
        <img
          className={css.videoImage}
          src={thumbnail}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed(true)}
        />
        <span className={css.videoMark}>
          <Play className="icon" aria-hidden="true" />
        </span>
      </span>
      <span className={css.videoName}>
        {title === null ? t('Watch on {host}', { host: hostOf(address) }) : title}
        {title !== null && <span className={css.videoHost}>{hostOf(address)}</span>}
      </span>
    </a>
  )
}

/** An uploaded file: a player for videos and sounds, a card for all other files. */
export function UploadedFile({ address, name }: { address: string; name: string }): ReactNode {
  const kind = fileKind(address.split(/[?#]/, 1)[0]!)
  if (kind === 'video') return <VideoPlayer source={address} name={name} />
  if (kind !== 'audio') return <FileCard address={address} name={name} />
  return (
    <div className={css.messageAudio}>
      <a href={address} target="_blank" rel="noopener noreferrer">
        {name}
      </a>
      {/* biome-ignore lint/a11y/useMediaCaption: users upload recordings without captions */}
      <audio src={address} aria-label={name} controls preload="metadata" />
    </div>
  )
}
