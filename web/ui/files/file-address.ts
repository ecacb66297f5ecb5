import { useEffect, useState } from 'react'

/** An address of what the file holds, for as long as it is shown. */
export function useFileAddress(file: File): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address
}
