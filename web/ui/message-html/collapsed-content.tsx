import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronUp from 'lucide-react/icons/chevron-up'
import { type FocusEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { t } from '../../text/t.ts'
import { ContentTool } from './content-tool.tsx'
import './collapsed-content.css'
import { useOpened } from './opened-parts.ts'

/**
 * Cuts off content that is higher than most of the window, until the user expands it. Content that exceeds the limit
 * only a little is shown whole.
 */
export function CollapsedContent({ children }: { children: ReactNode }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  /** Undefined until the content is measured. */
  const [isCut, setCut] = useState<boolean>()
  const [isOpen, setOpen] = useOpened('fold')
  /** True once the user has pressed something inside. Code that the user expands must not be cut off again. */
  const isTouched = useRef(false)
  const open = useEffectEvent(() => setOpen(true))
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const isHigh = inner.current !== null && inner.current.offsetHeight > maxHeight(box.current)
      if (isHigh && isTouched.current) open()
      setCut(isHigh)
    })
    observer.observe(inner.current!)
    return () => observer.disconnect()
  }, [])

  /** Expands the content if the focused element is not visible. */
  function onFocus({ target }: FocusEvent) {
    const isHidden = target.getBoundingClientRect().bottom > (box.current?.getBoundingClientRect().bottom ?? 0)
    if (isCut && isHidden) setOpen(true)
  }

  function touch() {
    if (!isCut) isTouched.current = true
  }

  function toggle() {
    setOpen(!isOpen)
    isTouched.current = false
    if (isOpen) box.current?.closest('[data-message]')?.scrollIntoView({ block: 'nearest' })
  }

  const Chevron = isOpen ? ChevronUp : ChevronDown
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the elements inside are interactive */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys click the elements inside */}
      <div
        ref={box}
        className="fold"
        data-open={isOpen || isCut === false ? '' : undefined}
        data-cut={isCut ? '' : undefined}
        onFocus={onFocus}
        onClick={touch}
      >
        <div ref={inner}>{children}</div>
      </div>
      {isCut && (
        <ContentTool className="fold-more" aria-expanded={isOpen} onClick={toggle}>
          <Chevron className="icon" aria-hidden="true" />
          {isOpen ? t('Show less') : t('Show more')}
        </ContentTool>
      )}
    </>
  )
}

/** Returns the height from which content is cut off. Its shown part is smaller, so that what is hidden is worth a click. */
const maxHeight = (box: HTMLElement | null) => (box?.ownerDocument.documentElement.clientHeight ?? 0) * 0.8

/** Returns true if a message may be high enough to be cut off. Short messages need not be measured. */
export const mayBeLong = (html: string): boolean =>
  html.length > 1000 || (html.match(/<(?:br|p|li|tr|div|img|h\d)\b/g)?.length ?? 0) > 8
