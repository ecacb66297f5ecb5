import type { ReactNode } from 'react'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { t } from '../../text/t.ts'

const TONES = [
  { sign: '👋', label: t('Yellow') },
  { sign: '👋🏻', label: t('Light') },
  { sign: '👋🏼', label: t('Medium-light') },
  { sign: '👋🏽', label: t('Medium') },
  { sign: '👋🏾', label: t('Medium-dark') },
  { sign: '👋🏿', label: t('Dark') },
]

/** The choice of a skin tone, which this browser remembers. */
export function ToneChoice({ tone, onChange }: { tone: number; onChange: (tone: number) => void }): ReactNode {
  return (
    <RadioGroup
      className="tone-choice"
      aria-label={t('Skin tone')}
      orientation="horizontal"
      value={String(tone)}
      onChange={(value) => onChange(Number(value))}
    >
      {TONES.map(({ sign, label }, at) => (
        <Radio key={label} className="tone" value={String(at)} aria-label={label}>
          <span aria-hidden="true">{sign}</span>
        </Radio>
      ))}
    </RadioGroup>
  )
}
