import encodeQR from 'qr'
import { type ReactNode, useMemo } from 'react'
import * as css from './qr-code.module.css'

/** A QR code, dark on white in both themes, since some cameras read nothing else. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { size, path } = useMemo(() => {
    const rows = encodeQR(text, 'raw', { border: 1 })
    const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    return { size: rows.length, path: dark.join('') }
  }, [text])
  return (
    <svg className={css.qrCode} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  )
}
