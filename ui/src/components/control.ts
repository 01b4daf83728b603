// The props that all form controls share, and the ARIA attributes derived from them.

export interface Common {
  id?: string;
  label?: string;
  describedBy?: string;
  invalid?: boolean;
  testId?: string;
}

/** Returns the ARIA attributes of a control: its name, its description and whether its value is invalid. */
export const controlAria = ({ label, describedBy, invalid }: Common) => ({
  "aria-label": label,
  "aria-describedby": describedBy,
  "aria-invalid": invalid || undefined,
});
