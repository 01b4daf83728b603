// The common props of form controls, and their ARIA attributes.

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
