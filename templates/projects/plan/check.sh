# The plan is done when every item is ticked and the tests pass. Reports in TAP: one test for each item, and one for the tests.
number=0
failed=0

report() {
  number=$((number + 1))
  if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; failed=1; fi
}

while IFS= read -r line; do
  case $line in
    "- [x] "*) report 0 "${line#*] }" ;;
    "- [ ] "*) report 1 "${line#*] }" ;;
  esac
done < PLAN.md

sh tests/run.sh > /dev/null
report $? "the tests pass"

echo "1..$number"
exit $failed
