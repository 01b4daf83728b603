// What every form control takes, and how it tells a screen reader.

export interface Common {
  id?: string;
  label?: string;
  describedBy?: string;
  invalid?: boolean;
  testId?: string;
}

/** The ARIA attributes of a control: its name, its description and whether its value is wrong. */
export const controlAria = ({ label, describedBy, invalid }: Common) => ({
  "aria-label": label,
  "aria-describedby": describedBy,
  "aria-invalid": invalid || undefined,
});
