import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Download from 'lucide-react/icons/download'
import ExternalLink from 'lucide-react/icons/external-link'
import X from 'lucide-react/icons/x'
import ZoomIn from 'lucide-react/icons/zoom-in'
import PhotoSwipe from 'photoswipe'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { t } from '../../text/t.ts'
import { ContentTool } from '../content-tool.tsx'
import 'photoswipe/style.css'
import { createPortal } from 'react-dom'
import { useCloseWhenHidden } from '../../ui/is-shown.ts'
import { readSize } from '../media-files.ts'
import * as css from './viewer.module.css'

/** The name of the current picture, and the actions on it. */
export function ViewerTools({ viewer }: { viewer: PhotoSwipe }): ReactNode {
  const [index, setIndex] = useState(viewer.currIndex)
  useEffect(() => viewer.on('change', () => setIndex(viewer.currIndex)), [viewer])
  const count = viewer.getNumItems()
  const { src, alt } = viewer.getItemData(index)
  const name = alt ?? ''
  return (
    <>
      <div className={css.viewerBar}>
        <p className={css.viewerName} aria-live="polite">
          {name}
          {count > 1 && (
            <span className={css.viewerCount}>{t('{number} of {count}', { number: index + 1, count })}</span>
          )}
        </p>
        <ContentTool aria-label={t('Zoom')} onClick={() => viewer.toggleZoom()}>
          <ZoomIn className="icon" aria-hidden="true" />
        </ContentTool>
        <a
          className="content-tool"
          href={src}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t('Open original')}
        >
          <ExternalLink className="icon" aria-hidden="true" />
        </a>
        <a className="content-tool" href={src} download={name} aria-label={t('Download')}>
          <Download className="icon" aria-hidden="true" />
        </a>
        <ContentTool aria-label={t('Close')} onClick={() => viewer.close()}>
          <X className="icon" aria-hidden="true" />
        </ContentTool>
      </div>
      {count > 1 && (
        <>
          <ContentTool
            className={`${css.viewerSide} ${css.viewerPrevious}`}
            aria-label={t('Previous picture')}
            disabled={index === 0}
            onClick={() => viewer.prev()}
          >
            <ChevronLeft className="icon" aria-hidden="true" />
          </ContentTool>
          <ContentTool
            className={`${css.viewerSide} ${css.viewerNext}`}
            aria-label={t('Next picture')}
            disabled={index === count - 1}
            onClick={() => viewer.next()}
          >
            <ChevronRight className="icon" aria-hidden="true" />
          </ContentTool>
        </>
      )}
    </>
  )
}

/**
 * Returns all pictures of the view, or of the message outside of views, in order. Pictures in closed spoilers are not on
 * the page.
 */
function picturesBeside(opened: HTMLAnchorElement): HTMLAnchorElement[] {
  const view = opened.closest('.timeline') ?? opened.closest('.message-content')
  return [...(view?.querySelectorAll<HTMLAnchorElement>('a[data-picture]') ?? [opened])]
}

/**
 * Shows the pictures of a view over the whole window, beginning with the opened one. PhotoSwipe draws and moves them.
 * The tools are a component, because PhotoSwipe writes its own buttons as HTML, which the content security policy
 * forbids.
 */
export function Viewer({ opened, onClose }: { opened: HTMLAnchorElement; onClose: () => void }): ReactNode {
  const [viewer, setViewer] = useState<PhotoSwipe | null>(null)
  const close = useEffectEvent(onClose)
  useCloseWhenHidden(onClose)
  useEffect(() => {
    const pictures = picturesBeside(opened)
    const pswp = new PhotoSwipe({ ...OPTIONS, ...motion(), errorMsg: t('Couldn’t load the picture') })
    pswp.options.dataSource = pictures.map(toSlide)
    pswp.options.index = Math.max(0, pictures.indexOf(opened))
    pswp.on('destroy', () => {
      setRestInert(false)
      opened.focus({ preventScroll: true })
      close()
    })
    // The key that opens the viewer closes it, too.
    pswp.on('keydown', ({ originalEvent: { key, ctrlKey, metaKey } }) => {
      if (key === 'v' && !ctrlKey && !metaKey) pswp.close()
    })
    pswp.init()
    pswp.element?.setAttribute('aria-label', t('Pictures'))
    pswp.element?.setAttribute('aria-modal', 'true')
    setRestInert(true)
    setViewer(pswp)
    return () => pswp.destroy()
  }, [opened])
  return viewer?.element ? createPortal(<ViewerTools viewer={viewer} />, viewer.element) : null
}

const OPTIONS = {
  arrowNext: false,
  arrowPrev: false,
  close: false,
  counter: false,
  preloader: false,
  zoom: false,
  bgOpacity: 0.94,
  loop: false,
  returnFocus: false,
  paddingFn: ({ x }: { x: number }) => ({ top: 56, bottom: 24, left: x < 600 ? 0 : 64, right: x < 600 ? 0 : 64 }),
} as const

const motion = () =>
  matchMedia('(prefers-reduced-motion: reduce)').matches
    ? ({ showHideAnimationType: 'none', zoomAnimationDuration: false } as const)
    : ({ showHideAnimationType: 'zoom' } as const)

function toSlide(link: HTMLAnchorElement) {
  const image = link.querySelector('img')
  const size = readSize(link.dataset['picture'])
  return {
    src: link.href,
    width: size?.width ?? image?.naturalWidth ?? 1200,
    height: size?.height ?? image?.naturalHeight ?? 800,
    alt: link.title,
    element: link,
    ...(image !== null && { msrc: image.currentSrc || image.src }),
    thumbCropped: true,
  }
}

/** Hides the page behind the viewer from the keyboard and from screen readers, or reveals it again. */
function setRestInert(isInert: boolean): void {
  document.getElementById('root')?.toggleAttribute('inert', isInert)
}
