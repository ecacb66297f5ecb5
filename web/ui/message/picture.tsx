import { type CSSProperties, lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { FileCard } from './file-card.tsx'
import { nameOfAddress, type PixelSize } from './media-address.ts'
import './picture.css'

const Viewer = lazy(async () => ({ default: (await import('./viewer/viewer.tsx')).Viewer }))

/** An uploaded picture. It has its final size before it is loaded, so that nothing moves; a press opens the viewer. */
export function Picture(props: {
  address: string
  thumbnail: string
  name: string
  size: PixelSize | null
}): ReactNode {
  const { address, thumbnail, name, size } = props
  const [isFailed, setFailed] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
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
      >
        <img src={thumbnail} alt={name} loading="lazy" decoding="async" onError={() => setFailed(true)} />
      </a>
      {isOpen && (
        <Suspense>
          <Viewer opened={link.current!} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The room of a picture whose size is unknown, in pixels. */
const UNKNOWN: PixelSize = { width: 600, height: 400 }

/** The style sheet derives the size on the screen from these. */
const measures = (size: PixelSize | null): CSSProperties => {
  const { width, height } = size ?? UNKNOWN
  return { '--picture-width': `${width}px`, '--picture-ratio': String(width / height) } as CSSProperties
}

/** The name of a picture: its title, or that of its file. */
export const pictureName = (address: string, title: string | undefined) => title || nameOfAddress(address)
