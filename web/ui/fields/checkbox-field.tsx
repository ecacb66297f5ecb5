import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import { Checkbox } from 'react-aria-components/Checkbox'
import './checkbox-field.css'

export function CheckboxField(props: {
  isSelected: boolean
  onChange: (isSelected: boolean) => void
  isDisabled?: boolean
  'aria-describedby'?: string
  children: ReactNode
}): ReactNode {
  const { children, ...box } = props
  return (
    <Checkbox {...box} className="checkbox">
      <span className="checkbox-box" aria-hidden="true">
        <Check className="icon" />
      </span>
      <span>{children}</span>
    </Checkbox>
  )
}
