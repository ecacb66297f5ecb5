import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Download from 'lucide-react/icons/download'
import ExternalLink from 'lucide-react/icons/external-link'
import X from 'lucide-react/icons/x'
import ZoomIn from 'lucide-react/icons/zoom-in'
import type PhotoSwipe from 'photoswipe'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../../../text/t.ts'
import { ContentTool } from '../content-tool.tsx'

/** The name of the current picture, and the actions on it. */
export function ViewerTools({ viewer }: { viewer: PhotoSwipe }): ReactNode {
  const [index, setIndex] = useState(viewer.currIndex)
  useEffect(() => viewer.on('change', () => setIndex(viewer.currIndex)), [viewer])
  const count = viewer.getNumItems()
  const { src, alt } = viewer.getItemData(index)
  const name = alt ?? ''
  return (
    <>
      <div className="viewer-bar">
        <p className="viewer-name" aria-live="polite">
          {name}
          {count > 1 && <span className="viewer-count">{t('{number} of {count}', { number: index + 1, count })}</span>}
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
            className="viewer-side viewer-previous"
            aria-label={t('Previous picture')}
            disabled={index === 0}
            onClick={() => viewer.prev()}
          >
            <ChevronLeft className="icon" aria-hidden="true" />
          </ContentTool>
          <ContentTool
            className="viewer-side viewer-next"
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
