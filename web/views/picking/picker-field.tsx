import type { ComponentProps, ReactNode } from 'react'
import { Picker } from './picker.tsx'

/** A picker with an error below it. */
export function PickerField({ error, ...props }: ComponentProps<typeof Picker> & { error: string | null }): ReactNode {
  return (
    <div>
      <Picker {...props} />
      {error !== null && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
