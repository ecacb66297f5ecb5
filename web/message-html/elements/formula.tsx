import { createAtom, useSelector } from '@tanstack/react-store'
import { type ReactNode, useEffect } from 'react'
import { t } from '../../text/t.ts'
import { CopyTool } from '../content-tool.tsx'
import './formula.css'

/** True once the style of formulas is loaded. Until then the browser draws their MathML. */
const isStyled = createAtom(false)

async function loadStyle(): Promise<void> {
  await import('katex/dist/katex.min.css')
  isStyled.set(true)
}

/** A formula as the server rendered it. A formula that stands alone has a button that copies its source. */
export function Formula(props: { source: string; isBlock: boolean; children: ReactNode }): ReactNode {
  const { source, isBlock, children } = props
  const styled = useSelector(isStyled)
  useEffect(() => void loadStyle(), [])
  return (
    <span className={isBlock ? 'formula formula-block' : 'formula'} data-styled={styled ? '' : undefined}>
      {children}
      {isBlock && source !== '' && <CopyTool text={source} label={t('Copy LaTeX')} />}
    </span>
  )
}
