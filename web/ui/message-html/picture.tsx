import { type CSSProperties, lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { FileCard } from './file-card.tsx'
import { nameOfAddress, type PixelSize } from './media-address.ts'
import './picture.css'
import { t } from '../../text/t.ts'
import { animationPolicy } from './animation-policy.ts'

const Viewer = lazy(async () => ({ default: (await import('./viewer/viewer.tsx')).Viewer }))

/**
 * An uploaded picture. It has its final size before it is loaded, so that nothing moves. Pressing it opens the viewer.
 */
export function Picture(props: {
  address: string
  thumbnail: string
  name: string
  size: PixelSize | null
  isAnimated?: boolean
}): ReactNode {
  const { address, thumbnail, name, size, isAnimated = false } = props
  const plays = animationPolicy.use()
  const [isPointedAt, point] = useState(false)
  const [isFailed, setFailed] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
  const isStill = isAnimated && !(plays === 'always' || (plays === 'on_hover' && isPointedAt))
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
        className="picture"
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
          <span className="picture-mark" aria-hidden="true">
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
